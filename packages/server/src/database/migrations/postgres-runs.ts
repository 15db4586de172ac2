import { CREATED_BY_ANY } from './postgres-nouns'

const OF_RUN = 'run_id bigint NOT NULL REFERENCES runs (id) ON DELETE CASCADE'
const OF_PHASE = `${OF_RUN}, phase_id bigint NOT NULL`

/** Runs, and what hangs on them or is there once for many of them. */
export const RUNS: readonly string[] = [
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
    first_phase_at_us bigint,
    last_phase_at_us bigint,
    ${CREATED_BY_ANY},
    docstring text,
    batch_id bigint REFERENCES batches (id),
    version_id bigint REFERENCES procedure_versions (id),
    operated_by_user_id bigint REFERENCES users (id),
    deployment_id text,
    first_error_id bigint
  )`,
  `CREATE TABLE definitions (
    id bigint PRIMARY KEY,
    procedure_id bigint NOT NULL REFERENCES procedures (id),
    digest text NOT NULL,
    name text NOT NULL,
    unit_of_measure text,
    UNIQUE (procedure_id, digest)
  )`,
  `CREATE TABLE metadata_values (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    digest text NOT NULL,
    value_type text NOT NULL,
    text_value text NOT NULL,
    number_value double precision,
    UNIQUE (digest, value_type)
  )`,
  `CREATE TABLE run_metadata (
    ${OF_RUN},
    position bigint NOT NULL,
    value_id bigint NOT NULL REFERENCES metadata_values (id),
    PRIMARY KEY (run_id, position)
  )`,
  `CREATE TABLE run_logs (
    ${OF_RUN},
    id bigint NOT NULL,
    level text NOT NULL,
    timestamp_us bigint NOT NULL,
    message text NOT NULL,
    source_file text NOT NULL,
    line_number bigint NOT NULL,
    PRIMARY KEY (run_id, id)
  )`,
  `CREATE TABLE run_sub_units (
    ${OF_RUN},
    position bigint NOT NULL,
    unit_id bigint NOT NULL REFERENCES units (id),
    PRIMARY KEY (run_id, position)
  )`,
  `CREATE TABLE declared_attachments (
    ${OF_RUN},
    position bigint NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (run_id, position)
  )`,
  `CREATE TABLE idempotency_keys (
    owner text NOT NULL,
    idempotency_key text NOT NULL,
    body_digest text NOT NULL,
    answer text NOT NULL,
    ${OF_RUN},
    PRIMARY KEY (owner, idempotency_key)
  )`,
  `CREATE TABLE run_months (month text PRIMARY KEY, created_runs bigint NOT NULL)`,
  `CREATE TABLE deletions (
    kind text NOT NULL,
    record_id bigint NOT NULL,
    requested_at_us bigint NOT NULL,
    PRIMARY KEY (kind, record_id)
  )`,
]

/** Phases, and what they say of their tests. */
export const PHASES: readonly string[] = [
  `CREATE TABLE phases (
    ${OF_RUN},
    id bigint NOT NULL,
    definition_id bigint NOT NULL,
    outcome text NOT NULL,
    started_at_us bigint NOT NULL,
    duration_us bigint NOT NULL,
    retry_count bigint NOT NULL,
    docstring text,
    is_final_attempt bigint NOT NULL DEFAULT 1,
    kind text,
    parent_index bigint,
    file_id bigint,
    line bigint,
    column_number bigint,
    owner_id bigint,
    worker bigint,
    snippet text,
    more_errors bigint,
    PRIMARY KEY (run_id, id)
  )`,
  `CREATE TABLE measurements (
    ${OF_RUN},
    id bigint NOT NULL,
    phase_id bigint NOT NULL,
    definition_id bigint NOT NULL,
    outcome text NOT NULL,
    number_value double precision,
    limit_low double precision,
    limit_high double precision,
    value_type text NOT NULL DEFAULT 'numeric',
    text_value text,
    detail text,
    PRIMARY KEY (run_id, id)
  )`,
  `CREATE TABLE phase_tags (
    ${OF_PHASE},
    position bigint NOT NULL,
    tag_id bigint NOT NULL,
    description text,
    PRIMARY KEY (run_id, phase_id, position)
  )`,
  `CREATE TABLE phase_attempts (
    ${OF_PHASE},
    attempt bigint NOT NULL,
    outcome text NOT NULL,
    started_at_us bigint NOT NULL,
    duration_us bigint NOT NULL,
    worker bigint,
    more_errors bigint,
    PRIMARY KEY (run_id, phase_id, attempt)
  )`,
  `CREATE TABLE error_groups (id bigint PRIMARY KEY, fingerprint text NOT NULL UNIQUE)`,
  `CREATE TABLE errors (
    id bigint PRIMARY KEY,
    group_id bigint NOT NULL REFERENCES error_groups (id),
    digest text NOT NULL UNIQUE,
    text_length bigint NOT NULL,
    message text NOT NULL,
    file text,
    line bigint,
    column_number bigint,
    expected text,
    actual text,
    snippet text,
    diff text,
    stack text
  )`,
  `CREATE TABLE phase_errors (
    ${OF_PHASE},
    attempt bigint NOT NULL,
    position bigint NOT NULL,
    error_id bigint NOT NULL REFERENCES errors (id),
    group_id bigint NOT NULL REFERENCES error_groups (id),
    definition_id bigint NOT NULL,
    file_id bigint,
    project_id bigint,
    PRIMARY KEY (run_id, phase_id, attempt, position)
  )`,
]

/** Attachments, and the stored bytes that they share. */
export const ATTACHMENTS: readonly string[] = [
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
    unit_id bigint REFERENCES units (id) ON DELETE CASCADE,
    link_to_unit_id bigint REFERENCES units (id) ON DELETE CASCADE,
    ${CREATED_BY_ANY},
    received_at_us bigint
  )`,
]
