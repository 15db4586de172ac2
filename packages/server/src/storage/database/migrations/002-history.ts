import type { Migration } from './migration'
import { ORGANISATION } from './initial/columns'

/** The transaction that creates a run writes its results and roll-ups (`history/record-results.ts`). */
export const HISTORY: Migration = {
  name: '002-history',
  statements: [
    'ALTER TABLE runs ADD COLUMN build_id bigint',
    // The entry of metadata that names the branch.
    'ALTER TABLE runs ADD COLUMN branch_id bigint',
    'ALTER TABLE runs ADD COLUMN environment text',
    // Which rerun of its CI build the run belongs to.
    'ALTER TABLE runs ADD COLUMN rerun text',
    'ALTER TABLE runs ADD COLUMN shard text',
    // Definitions: the file and the project of its tests.
    'ALTER TABLE runs ADD COLUMN file_id bigint',
    'ALTER TABLE runs ADD COLUMN project_id bigint',
    `CREATE TABLE builds (
      id integer PRIMARY KEY,
      group_name text NOT NULL,
      group_digest text NOT NULL,
      branch text,
      git_commit text,
      commit_subject text,
      author text,
      pull_request text,
      event text,
      ci_build_url text,
      repository text,
      default_branch text,
      started_at_us bigint NOT NULL,
      created_at_us bigint NOT NULL,
      ${ORGANISATION},
      UNIQUE (group_digest, organisation_id)
    )`,
    `CREATE TABLE build_procedures (
      procedure_id bigint NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
      build_id bigint NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
      started_at_us bigint NOT NULL,
      PRIMARY KEY (procedure_id, build_id)
    ) WITHOUT ROWID`,
    // A suite is a file in a project of a procedure. The key of a suite or test is that of its first phase.
    `CREATE TABLE suites (
      id integer PRIMARY KEY,
      procedure_id bigint NOT NULL,
      project_id bigint NOT NULL,
      file_id bigint NOT NULL,
      UNIQUE (procedure_id, file_id, project_id)
    )`,
    `CREATE TABLE tests (
      id integer PRIMARY KEY,
      suite_id bigint NOT NULL REFERENCES suites (id) ON DELETE CASCADE,
      definition_id bigint NOT NULL,
      first_seen_us bigint NOT NULL,
      last_seen_day bigint NOT NULL,
      line bigint,
      owner_id bigint,
      alias_of bigint,
      rename_checked bigint NOT NULL DEFAULT 0,
      UNIQUE (suite_id, definition_id)
    )`,
    // Ordered by suite: a run adds its rows in one place.
    `CREATE TABLE test_results (
      suite_id bigint NOT NULL,
      run_id bigint NOT NULL,
      test_id bigint NOT NULL,
      outcome bigint NOT NULL,
      duration_us bigint NOT NULL,
      error_group_id bigint,
      PRIMARY KEY (suite_id, run_id, test_id)
    ) WITHOUT ROWID`,
    `CREATE TABLE run_suites (
      run_id bigint NOT NULL,
      suite_id bigint NOT NULL,
      skipped bigint NOT NULL,
      passed bigint NOT NULL,
      flaky bigint NOT NULL,
      failed bigint NOT NULL,
      PRIMARY KEY (run_id, suite_id)
    ) WITHOUT ROWID`,
    // By UTC day of the start of the run.
    `CREATE TABLE test_days (
      procedure_id bigint NOT NULL,
      branch_id bigint NOT NULL,
      day bigint NOT NULL,
      test_id bigint NOT NULL,
      passed bigint NOT NULL,
      flaky bigint NOT NULL,
      failed bigint NOT NULL,
      passed_us bigint NOT NULL,
      PRIMARY KEY (procedure_id, branch_id, day, test_id)
    ) WITHOUT ROWID`,
    'CREATE INDEX run_suites_failed ON run_suites (run_id) WHERE failed > 0',
    'CREATE INDEX runs_build ON runs (build_id) WHERE build_id IS NOT NULL',
    'CREATE INDEX runs_rerun ON runs (build_id, rerun) WHERE rerun IS NOT NULL',
    // Where the results of a branch begin.
    'CREATE INDEX runs_branch ON runs (branch_id, id) WHERE branch_id IS NOT NULL',
    'CREATE INDEX builds_started ON builds (started_at_us)',
    'CREATE INDEX builds_branch ON builds (branch, started_at_us)',
    'CREATE INDEX builds_commit ON builds (git_commit) WHERE git_commit IS NOT NULL',
    'CREATE INDEX build_procedures_started ON build_procedures (procedure_id, started_at_us)',
    'CREATE INDEX build_procedures_build ON build_procedures (build_id)',
    'CREATE INDEX tests_unchecked ON tests (id) WHERE rename_checked = 0',
    'CREATE INDEX tests_alias ON tests (alias_of) WHERE alias_of IS NOT NULL',
  ],
}
