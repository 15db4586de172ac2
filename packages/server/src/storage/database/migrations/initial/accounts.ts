import { CREATED_BY_USER, ORGANISATION } from './columns'

/** Hashes are SHA-256 as base64url; no secret itself is stored. */
export const ACCOUNTS: readonly string[] = [
  `CREATE TABLE settings (
    name text NOT NULL,
    value text NOT NULL,
    ${ORGANISATION},
    PRIMARY KEY (name, organisation_id)
  )`,
  `CREATE TABLE users (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    name text,
    email text,
    email_folded text,
    created_at_us bigint NOT NULL,
    ${ORGANISATION}
  )`,
  `CREATE TABLE stations (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    name text NOT NULL,
    name_folded text NOT NULL,
    identifier text,
    image_id text,
    ${CREATED_BY_USER},
    deleted_at_us bigint,
    ${ORGANISATION}
  )`,
  `CREATE TABLE api_keys (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    kind text NOT NULL,
    name text NOT NULL,
    hint text NOT NULL,
    hash text NOT NULL UNIQUE,
    user_id bigint NOT NULL REFERENCES users (id),
    station_id bigint REFERENCES stations (id),
    created_at_us bigint NOT NULL,
    expires_at_us bigint,
    revoked_at_us bigint,
    last_used_at_us bigint,
    ${ORGANISATION}
  )`,
  // A session, or a code for one, ends with the key that opened it.
  `CREATE TABLE sessions (
    id bigint PRIMARY KEY,
    hash text NOT NULL UNIQUE,
    user_id bigint NOT NULL REFERENCES users (id),
    api_key_id bigint REFERENCES api_keys (id),
    created_at_us bigint NOT NULL,
    expires_at_us bigint NOT NULL
  )`,
  `CREATE TABLE sign_in_codes (
    id bigint PRIMARY KEY,
    hash text NOT NULL UNIQUE,
    user_id bigint NOT NULL REFERENCES users (id),
    api_key_id bigint REFERENCES api_keys (id),
    expires_at_us bigint NOT NULL
  )`,
]
