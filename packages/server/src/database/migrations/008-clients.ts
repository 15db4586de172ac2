import type { Migration } from '../sqlite-driver'

/**
 * What clients in the field rely on: images of parts and units, and texts where there were none. A procedure without an
 * identifier gets one of its name and its UUID, a user without an e-mail address one of this machine.
 */
export const CLIENTS: Migration = {
  name: '008-clients',
  statements: [
    `ALTER TABLE stations ADD COLUMN identifier text`,
    `ALTER TABLE parts ADD COLUMN image_id text`,
    `ALTER TABLE units ADD COLUMN image_id text`,
    `CREATE INDEX parts_image ON parts (image_id) WHERE image_id IS NOT NULL`,
    `CREATE INDEX units_image ON units (image_id) WHERE image_id IS NOT NULL`,
    `CREATE INDEX procedures_name ON procedures (name_folded)`,
    `UPDATE procedures SET
      identifier = substr(replace(name, ' ', '-'), 1, 240) || '-' || substr(public_id, 1, 8),
      identifier_folded = substr(replace(name_folded, ' ', '-'), 1, 240) || '-' || substr(public_id, 1, 8)
      WHERE identifier IS NULL`,
    `UPDATE users SET email = 'owner@localhost', email_folded = 'owner@localhost'
      WHERE email IS NULL AND id = (SELECT min(id) FROM users)
      AND NOT EXISTS (SELECT 1 FROM users AS others WHERE others.email_folded = 'owner@localhost')`,
    `UPDATE users SET email = public_id || '@localhost', email_folded = public_id || '@localhost'
      WHERE email IS NULL`,
  ],
}
