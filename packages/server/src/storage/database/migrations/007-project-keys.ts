import type { Migration } from './migration'

export const PROJECT_KEYS: Migration = {
  name: '007-project-keys',
  statements: [
    'ALTER TABLE api_keys ADD COLUMN procedure_id bigint REFERENCES procedures (id)',
    // Names no procedure as its reference: an upload that a user linked outlives the deletion of its procedure.
    'ALTER TABLE attachments ADD COLUMN created_by_procedure_id bigint',
    'CREATE INDEX api_keys_procedure ON api_keys (procedure_id)',
  ],
}
