import type { Migration } from './migration'

/** Each time bytes are stored they get a name of their own; those of before have their digest for a name. */
export const OBJECT_NAMES: Migration = {
  name: '014-object-names',
  statements: [
    `ALTER TABLE blobs ADD COLUMN object_name text`,
    `UPDATE blobs SET object_name = substr(sha256, 1, 2) || '/' || sha256`,
    `CREATE INDEX blobs_object_name ON blobs (object_name)`,
  ],
}
