import type { Migration } from './migration'
import { ORGANISATION } from './initial/columns'

const TABLE = [
  `CREATE TABLE audit_entries (
    id integer PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    created_at_us bigint NOT NULL,
    operation text NOT NULL,
    actor_kind text NOT NULL,
    actor_id text,
    actor_name text,
    key_id text,
    key_name text,
    address text,
    subject_kind text NOT NULL,
    subject_id text NOT NULL,
    subject_name text NOT NULL,
    facts_before text,
    facts_after text,
    ${ORGANISATION}
  )`,
  'CREATE INDEX audit_entries_actor ON audit_entries (actor_id, id)',
  'CREATE INDEX audit_entries_subject ON audit_entries (subject_id, id)',
]

const REFUSAL = 'entries of the audit log are never changed or deleted'

export const AUDIT: Migration = {
  name: '009-audit',
  statements: [
    ...TABLE,
    ...['UPDATE', 'DELETE'].map(
      (change) =>
        `CREATE TRIGGER audit_entries_no_${change.toLowerCase()} BEFORE ${change} ON audit_entries
        BEGIN SELECT RAISE(ABORT, '${REFUSAL}'); END`,
    ),
    // INSERT OR REPLACE deletes without the trigger for deletions.
    `CREATE TRIGGER audit_entries_no_replace BEFORE INSERT ON audit_entries
      WHEN EXISTS (SELECT 1 FROM audit_entries WHERE id = NEW.id OR public_id = NEW.public_id)
      BEGIN SELECT RAISE(ABORT, '${REFUSAL}'); END`,
  ],
}

export const POSTGRES_AUDIT: Migration = {
  name: AUDIT.name,
  statements: [
    ...TABLE,
    `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION '${REFUSAL}'; END $$`,
    `CREATE TRIGGER audit_entries_no_change BEFORE UPDATE OR DELETE ON audit_entries
      FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`,
    `CREATE TRIGGER audit_entries_no_truncate BEFORE TRUNCATE ON audit_entries
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
  ],
}
