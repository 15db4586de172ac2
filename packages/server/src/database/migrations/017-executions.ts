import type { Migration } from './migration'

/**
 * Executions that said that they began. Found by the digest of their group's entry of metadata: runs of the group are found by the
 * same one.
 */
export const EXECUTIONS: Migration = {
  name: '017-executions',
  statements: [
    `CREATE TABLE executions (
      id bigint PRIMARY KEY,
      public_id text NOT NULL,
      procedure_id bigint NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
      group_name text NOT NULL,
      group_digest text NOT NULL,
      started_at_us bigint NOT NULL,
      created_at_us bigint NOT NULL,
      ended_at_us bigint,
      missing_runs bigint NOT NULL DEFAULT 0,
      framework text,
      host text,
      shard_index bigint,
      shard_total bigint,
      environment text,
      ci_job text,
      ci_attempt bigint NOT NULL DEFAULT 0,
      ci_build_url text,
      git_branch text,
      git_commit text,
      repository text,
      organisation_id bigint NOT NULL DEFAULT 1,
      UNIQUE (public_id, organisation_id)
    )`,
    `CREATE INDEX executions_group ON executions (group_digest)`,
    `CREATE INDEX executions_branch ON executions (git_branch, created_at_us)`,
    `CREATE INDEX executions_procedure ON executions (procedure_id)`,
    `CREATE INDEX executions_created ON executions (created_at_us)`,
  ],
}
