import type { Migration } from './migration'

const NAME = '014-object-names'
const FORMER_NAME = `substr(sha256, 1, 2) || '/' || sha256`
const INDEX = `CREATE INDEX blobs_object_name ON blobs (object_name)`

/** Each time bytes are stored they get a name of their own; those of before have their digest for a name. */
export const OBJECT_NAMES: Migration = {
  name: NAME,
  statements: [
    `CREATE TABLE new_blobs (
      sha256 text PRIMARY KEY,
      size_bytes bigint NOT NULL,
      reference_count bigint NOT NULL,
      object_name text NOT NULL
    ) WITHOUT ROWID`,
    `INSERT INTO new_blobs SELECT sha256, size_bytes, reference_count, ${FORMER_NAME} FROM blobs`,
    `DROP TABLE blobs`,
    `ALTER TABLE new_blobs RENAME TO blobs`,
    INDEX,
  ],
}

/** The same for PostgreSQL. A process of a former release that still runs fails: no clean-up takes what it would have stored. */
export const POSTGRES_OBJECT_NAMES: Migration = {
  name: NAME,
  statements: [
    `ALTER TABLE blobs ADD COLUMN object_name text`,
    `UPDATE blobs SET object_name = ${FORMER_NAME}`,
    `ALTER TABLE blobs ALTER COLUMN object_name SET NOT NULL`,
    INDEX,
  ],
}
