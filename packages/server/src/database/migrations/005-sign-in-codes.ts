import type { Migration } from './migration'

/** The key that asked for a sign-in code: what was opened with the code ends with the key. */
export const SIGN_IN_CODES: Migration = {
  name: '005-sign-in-codes',
  statements: [`ALTER TABLE sign_in_codes ADD COLUMN api_key_id bigint REFERENCES api_keys (id)`],
}
