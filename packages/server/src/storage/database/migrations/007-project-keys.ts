import type { Migration } from './migration'

export const PROJECT_KEYS: Migration = {
  name: '007-project-keys',
  statements: [
    'ALTER TABLE api_keys ADD COLUMN procedure_id bigint REFERENCES procedures (id)',
    'CREATE INDEX api_keys_procedure ON api_keys (procedure_id)',
  ],
}
