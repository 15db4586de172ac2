const CREATED_BY_USER = `created_at_us bigint NOT NULL,
  created_by_user_id bigint REFERENCES users (id)`
export const CREATED_BY_ANY = `${CREATED_BY_USER},
  created_by_station_id bigint REFERENCES stations (id)`

/** Settings, users, keys, sessions. */
export const ACCESS: readonly string[] = [
  `CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL)`,
  `CREATE TABLE users (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    name text,
    email text,
    email_folded text,
    created_at_us bigint NOT NULL
  )`,
  `CREATE TABLE stations (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    name text NOT NULL,
    name_folded text NOT NULL,
    identifier text,
    image_id text,
    ${CREATED_BY_USER},
    deleted_at_us bigint
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
    last_used_at_us bigint
  )`,
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

/** What runs refer to. */
export const NOUNS: readonly string[] = [
  `CREATE TABLE procedures (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    identifier text,
    identifier_folded text UNIQUE,
    name text NOT NULL,
    name_folded text NOT NULL,
    ${CREATED_BY_USER},
    repository_settings text
  )`,
  `CREATE TABLE procedure_versions (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    procedure_id bigint NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
    tag text NOT NULL,
    tag_folded text NOT NULL,
    ${CREATED_BY_ANY},
    UNIQUE (procedure_id, tag_folded)
  )`,
  `CREATE TABLE station_procedures (
    station_id bigint NOT NULL REFERENCES stations (id) ON DELETE CASCADE,
    procedure_id bigint NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
    PRIMARY KEY (station_id, procedure_id)
  )`,
  `CREATE TABLE parts (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    number text NOT NULL,
    number_folded text NOT NULL UNIQUE,
    name text NOT NULL,
    ${CREATED_BY_ANY},
    updated_at_us bigint,
    image_id text
  )`,
  `CREATE TABLE revisions (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    part_id bigint NOT NULL REFERENCES parts (id),
    number text NOT NULL,
    number_folded text NOT NULL,
    ${CREATED_BY_ANY},
    image_id text,
    UNIQUE (part_id, number_folded)
  )`,
  `CREATE TABLE batches (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    number text NOT NULL,
    number_folded text NOT NULL UNIQUE,
    ${CREATED_BY_ANY}
  )`,
  `CREATE TABLE units (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    serial_number text NOT NULL,
    serial_number_folded text NOT NULL UNIQUE,
    revision_id bigint NOT NULL REFERENCES revisions (id),
    parent_unit_id bigint REFERENCES units (id),
    batch_id bigint REFERENCES batches (id),
    sample text,
    ${CREATED_BY_ANY},
    created_by_run_id bigint,
    image_id text
  )`,
  `CREATE TABLE unit_metadata (
    unit_id bigint NOT NULL REFERENCES units (id) ON DELETE CASCADE,
    name text NOT NULL,
    value_type text NOT NULL,
    text_value text NOT NULL,
    number_value double precision,
    PRIMARY KEY (unit_id, name)
  )`,
]
