import type { Migration } from './migration'
import { ORGANISATION } from './initial/columns'

export const QUARANTINE: Migration = {
  name: '006-quarantine',
  statements: [
    // Without a fingerprint, an entry is for any error of the test.
    `CREATE TABLE quarantine_entries (
      id integer PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      procedure_id bigint NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
      test_id bigint NOT NULL REFERENCES tests (id) ON DELETE CASCADE,
      fingerprint text,
      owner text NOT NULL,
      reason text NOT NULL,
      link text,
      ends_at_us bigint NOT NULL,
      created_at_us bigint NOT NULL,
      created_by_user_id bigint NOT NULL REFERENCES users (id),
      extended_at_us bigint,
      extended_by_user_id bigint REFERENCES users (id),
      ended_by_user_id bigint REFERENCES users (id),
      ${ORGANISATION}
    )`,
    'CREATE INDEX quarantine_entries_procedure ON quarantine_entries (procedure_id, ends_at_us)',
    'CREATE INDEX quarantine_entries_test ON quarantine_entries (test_id)',
  ],
}
