import type { Migration } from './migration'
import { ORGANISATION } from './initial/columns'

export const SHARDS: Migration = {
  name: '004-shards',
  statements: [
    // `shards` is JSON: the files of each shard. `digest` is the digest of the build, the suite and the number of shards.
    `CREATE TABLE shard_plans (
      id integer PRIMARY KEY,
      procedure_id bigint NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
      digest text NOT NULL,
      shards text NOT NULL,
      by_count bigint NOT NULL,
      created_at_us bigint NOT NULL,
      ${ORGANISATION},
      UNIQUE (digest, procedure_id)
    )`,
    'CREATE INDEX shard_plans_procedure ON shard_plans (procedure_id, id)',
    'CREATE INDEX shard_plans_created ON shard_plans (created_at_us)',
  ],
}
