import type { Migration } from './migration'

/**
 * Roll-ups of runs whose unit is not the tested software itself. The transaction that creates, changes or deletes a run writes
 * them (`line/line-store.ts`).
 */
export const LINE: Migration = {
  name: '003-line',
  statements: [
    'ALTER TABLE runs ADD COLUMN is_of_line bigint NOT NULL DEFAULT 1',
    // Units that reporters derived from a package: its name and an @ come first (`formatDefaultSerialNumber`).
    `UPDATE runs SET is_of_line = 0 WHERE id IN (SELECT runs.id FROM runs
      JOIN units ON units.id = runs.unit_id JOIN revisions ON revisions.id = runs.revision_id
      JOIN parts ON parts.id = revisions.part_id
      WHERE substr(units.serial_number_folded, 1, length(ltrim(parts.number_folded, '@')) + 1) =
        replace(ltrim(parts.number_folded, '@'), '/', '-') || '@')`,
    // By UTC day of the start of the run. 0: no batch, station or version.
    `CREATE TABLE line_days (
      procedure_id bigint NOT NULL,
      day bigint NOT NULL,
      batch_id bigint NOT NULL,
      station_id bigint NOT NULL,
      version_id bigint NOT NULL,
      revision_id bigint NOT NULL,
      is_sample bigint NOT NULL,
      units bigint NOT NULL,
      first_passed bigint NOT NULL,
      second_passed bigint NOT NULL,
      last_passed bigint NOT NULL,
      day_units bigint NOT NULL,
      day_passed bigint NOT NULL,
      runs bigint NOT NULL,
      passed_runs bigint NOT NULL,
      PRIMARY KEY (procedure_id, day, batch_id, station_id, version_id, revision_id, is_sample)
    ) WITHOUT ROWID`,
    // A definition of 0 stands for the phase itself.
    `CREATE TABLE measurement_days (
      procedure_id bigint NOT NULL,
      day bigint NOT NULL,
      phase_definition_id bigint NOT NULL,
      definition_id bigint NOT NULL,
      measured bigint NOT NULL,
      failed bigint NOT NULL,
      PRIMARY KEY (procedure_id, day, phase_definition_id, definition_id)
    ) WITHOUT ROWID`,
    // The numbers of one measurement together, by time.
    `CREATE TABLE line_values (
      phase_definition_id bigint NOT NULL,
      definition_id bigint NOT NULL,
      started_at_us bigint NOT NULL,
      run_id bigint NOT NULL,
      id bigint NOT NULL,
      value double precision NOT NULL,
      limit_low double precision,
      limit_high double precision,
      failed bigint NOT NULL,
      PRIMARY KEY (phase_definition_id, definition_id, started_at_us, run_id, id)
    ) WITHOUT ROWID`,
  ],
}
