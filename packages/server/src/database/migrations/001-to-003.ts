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

/**
 * Procedures, parts, units, runs. Tables that hang on a run have it first in their primary key, names live once in
 * `definitions`, and no unique key spans runs: fit for a database that distributes by run.
 */
export const RUNS: Migration = {
  name: '002-runs',
  statements: [
    `CREATE TABLE procedures (
      id bigint PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      identifier text,
      identifier_folded text UNIQUE,
      name text NOT NULL,
      name_folded text NOT NULL,
      created_at_us bigint NOT NULL,
      created_by_user_id bigint REFERENCES users (id)
    )`,
    `CREATE TABLE parts (
      id bigint PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      number text NOT NULL,
      number_folded text NOT NULL UNIQUE,
      name text NOT NULL,
      created_at_us bigint NOT NULL,
      created_by_user_id bigint REFERENCES users (id)
    )`,
    `CREATE TABLE revisions (
      id bigint PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      part_id bigint NOT NULL REFERENCES parts (id),
      number text NOT NULL,
      number_folded text NOT NULL,
      created_at_us bigint NOT NULL,
      created_by_user_id bigint REFERENCES users (id),
      UNIQUE (part_id, number_folded)
    )`,
    `CREATE TABLE units (
      id bigint PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      serial_number text NOT NULL,
      serial_number_folded text NOT NULL UNIQUE,
      revision_id bigint NOT NULL REFERENCES revisions (id),
      parent_unit_id bigint REFERENCES units (id),
      created_at_us bigint NOT NULL,
      created_by_user_id bigint REFERENCES users (id)
    )`,
    `CREATE INDEX units_parent ON units (parent_unit_id)`,
    `CREATE TABLE runs (
      id bigint PRIMARY KEY,
      public_id text NOT NULL,
      procedure_id bigint NOT NULL REFERENCES procedures (id),
      unit_id bigint NOT NULL REFERENCES units (id),
      revision_id bigint NOT NULL REFERENCES revisions (id),
      outcome text NOT NULL,
      started_at_us bigint NOT NULL,
      ended_at_us bigint NOT NULL,
      duration_us bigint NOT NULL,
      created_at_us bigint NOT NULL,
      created_by_user_id bigint REFERENCES users (id),
      docstring text
    )`,
    `CREATE INDEX runs_public_id ON runs (public_id)`,
    `CREATE INDEX runs_started ON runs (started_at_us, id)`,
    `CREATE INDEX runs_procedure ON runs (procedure_id, started_at_us)`,
    `CREATE INDEX runs_unit ON runs (unit_id, started_at_us)`,
    `CREATE TABLE definitions (
      id bigint PRIMARY KEY,
      procedure_id bigint NOT NULL REFERENCES procedures (id),
      digest text NOT NULL,
      name text NOT NULL,
      unit_of_measure text,
      UNIQUE (procedure_id, digest)
    )`,
    `CREATE TABLE phases (
      run_id bigint NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      id bigint NOT NULL,
      definition_id bigint NOT NULL REFERENCES definitions (id),
      outcome text NOT NULL,
      started_at_us bigint NOT NULL,
      duration_us bigint NOT NULL,
      retry_count bigint NOT NULL,
      docstring text,
      PRIMARY KEY (run_id, id)
    )`,
    `CREATE TABLE measurements (
      run_id bigint NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      id bigint NOT NULL,
      phase_id bigint NOT NULL,
      definition_id bigint NOT NULL REFERENCES definitions (id),
      outcome text NOT NULL,
      number_value double precision,
      limit_low double precision,
      limit_high double precision,
      PRIMARY KEY (run_id, id)
    )`,
    `CREATE TABLE run_metadata (
      run_id bigint NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      position bigint NOT NULL,
      name text NOT NULL,
      digest text NOT NULL,
      text_value text NOT NULL,
      PRIMARY KEY (run_id, position)
    )`,
    `CREATE INDEX run_metadata_digest ON run_metadata (digest, run_id)`,
    `CREATE TABLE run_sub_units (
      run_id bigint NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      position bigint NOT NULL,
      unit_id bigint NOT NULL REFERENCES units (id),
      PRIMARY KEY (run_id, position)
    )`,
    `CREATE TABLE declared_attachments (
      run_id bigint NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      position bigint NOT NULL,
      name text NOT NULL,
      PRIMARY KEY (run_id, position)
    )`,
    `CREATE TABLE idempotency_keys (
      owner text NOT NULL,
      idempotency_key text NOT NULL,
      body_digest text NOT NULL,
      answer text NOT NULL,
      run_id bigint NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      PRIMARY KEY (owner, idempotency_key)
    )`,
    `CREATE INDEX idempotency_keys_run ON idempotency_keys (run_id)`,
  ],
}

/** Attachments, and the stored bytes that they share: `reference_count` attachments have the bytes of a blob. */
export const ATTACHMENTS: Migration = {
  name: '003-attachments',
  statements: [
    `CREATE TABLE blobs (
      sha256 text PRIMARY KEY,
      size_bytes bigint NOT NULL,
      reference_count bigint NOT NULL
    )`,
    `CREATE TABLE attachments (
      id bigint PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      name text NOT NULL,
      content_type text,
      sha256 text REFERENCES blobs (sha256),
      run_id bigint REFERENCES runs (id) ON DELETE CASCADE,
      link_to_run_id bigint REFERENCES runs (id) ON DELETE CASCADE,
      created_at_us bigint NOT NULL,
      created_by_user_id bigint REFERENCES users (id),
      received_at_us bigint
    )`,
    `CREATE INDEX attachments_run ON attachments (run_id, id)`,
    `CREATE INDEX attachments_link_to_run ON attachments (link_to_run_id)`,
    `CREATE INDEX attachments_unlinked ON attachments (created_at_us) WHERE run_id IS NULL`,
  ],
}
