import type { Migration } from './migration'

const ROLE = "role text CHECK (role IN ('viewer', 'member', 'admin'))"

export const SIGN_IN_PROVIDER: Migration = {
  name: '010-sign-in-provider',
  statements: [
    `CREATE TABLE identities (
      issuer text NOT NULL,
      subject text NOT NULL,
      user_id bigint NOT NULL REFERENCES users (id),
      created_at_us bigint NOT NULL,
      PRIMARY KEY (issuer, subject)
    )`,
    'CREATE INDEX identities_user ON identities (user_id)',
    `ALTER TABLE sign_in_codes ADD COLUMN ${ROLE}`,
    'ALTER TABLE sign_in_codes ADD COLUMN sealed_tokens text',
    // Sessions that are listed have an id: those from before end.
    'DELETE FROM sessions',
    'ALTER TABLE sessions ADD COLUMN public_id text',
    'ALTER TABLE sessions ADD COLUMN address text',
    'ALTER TABLE sessions ADD COLUMN user_agent text',
    'CREATE UNIQUE INDEX sessions_public_id ON sessions (public_id)',
    `ALTER TABLE sessions ADD COLUMN ${ROLE}`,
    'ALTER TABLE sessions ADD COLUMN sealed_tokens text',
    'ALTER TABLE sessions ADD COLUMN checked_at_us bigint',
    'ALTER TABLE sessions ADD COLUMN confirmed_at_us bigint',
  ],
}
