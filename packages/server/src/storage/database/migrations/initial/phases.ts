import { OF_PHASE, OF_RUN, ORGANISATION } from './columns'

/** Columns of definitions have no foreign key, whose check would need an index: definitions are deleted after all their runs. */
export const PHASES: readonly string[] = [
  `CREATE TABLE phases (
    ${OF_RUN},
    id bigint NOT NULL,
    definition_id bigint NOT NULL,
    outcome text NOT NULL,
    started_at_us bigint NOT NULL,
    duration_us bigint NOT NULL,
    retry_count bigint NOT NULL,
    docstring text,
    is_final_attempt bigint NOT NULL DEFAULT 1,
    kind text,
    parent_index bigint,
    file_id bigint,
    line bigint,
    column_number bigint,
    owner_id bigint,
    worker bigint,
    snippet text,
    more_errors bigint,
    PRIMARY KEY (run_id, id)
  ) WITHOUT ROWID`,
  `CREATE TABLE measurements (
    ${OF_RUN},
    id bigint NOT NULL,
    phase_id bigint NOT NULL,
    definition_id bigint NOT NULL,
    outcome text NOT NULL,
    number_value double precision,
    limit_low double precision,
    limit_high double precision,
    value_type text NOT NULL DEFAULT 'numeric',
    text_value text,
    detail text,
    PRIMARY KEY (run_id, id)
  ) WITHOUT ROWID`,
  `CREATE TABLE phase_tags (
    ${OF_PHASE},
    position bigint NOT NULL,
    tag_id bigint NOT NULL,
    description text,
    PRIMARY KEY (run_id, phase_id, position)
  ) WITHOUT ROWID`,
  `CREATE TABLE phase_attempts (
    ${OF_PHASE},
    attempt bigint NOT NULL,
    outcome text NOT NULL,
    started_at_us bigint NOT NULL,
    duration_us bigint NOT NULL,
    worker bigint,
    more_errors bigint,
    PRIMARY KEY (run_id, phase_id, attempt)
  ) WITHOUT ROWID`,
  // Errors repeat from run to run: each error and each fingerprint is stored once.
  `CREATE TABLE error_groups (
    id integer PRIMARY KEY,
    fingerprint text NOT NULL,
    ${ORGANISATION},
    UNIQUE (fingerprint, organisation_id)
  )`,
  `CREATE TABLE errors (
    id integer PRIMARY KEY,
    group_id bigint NOT NULL REFERENCES error_groups (id),
    digest text NOT NULL,
    text_length bigint NOT NULL,
    message text NOT NULL,
    file text,
    line bigint,
    column_number bigint,
    expected text,
    actual text,
    snippet text,
    diff text,
    stack text,
    ${ORGANISATION},
    UNIQUE (digest, organisation_id)
  )`,
  `CREATE TABLE phase_errors (
    ${OF_PHASE},
    attempt bigint NOT NULL,
    position bigint NOT NULL,
    error_id bigint NOT NULL REFERENCES errors (id),
    group_id bigint NOT NULL REFERENCES error_groups (id),
    definition_id bigint NOT NULL,
    file_id bigint,
    project_id bigint,
    PRIMARY KEY (run_id, phase_id, attempt, position)
  ) WITHOUT ROWID`,
]
