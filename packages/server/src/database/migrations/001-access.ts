import type { Migration } from './migration'

/** Settings, users, keys, sessions. Hashes are SHA-256 as base64url; nothing that grants access is stored itself. */
export const ACCESS: Migration = {
  name: '001-access',
  statements: [
    `CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL)`,
    `CREATE TABLE users (
      id bigint PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      name text,
      email text,
      created_at_us bigint NOT NULL
    )`,
    `CREATE TABLE api_keys (
      id bigint PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      kind text NOT NULL,
      name text NOT NULL,
      hint text NOT NULL,
      hash text NOT NULL UNIQUE,
      user_id bigint NOT NULL REFERENCES users (id),
      created_at_us bigint NOT NULL,
      expires_at_us bigint,
      revoked_at_us bigint
    )`,
    `CREATE TABLE sessions (
      id bigint PRIMARY KEY,
      hash text NOT NULL UNIQUE,
      user_id bigint NOT NULL REFERENCES users (id),
      created_at_us bigint NOT NULL,
      expires_at_us bigint NOT NULL
    )`,
    `CREATE TABLE sign_in_codes (
      id bigint PRIMARY KEY,
      hash text NOT NULL UNIQUE,
      user_id bigint NOT NULL REFERENCES users (id),
      expires_at_us bigint NOT NULL
    )`,
  ],
}
