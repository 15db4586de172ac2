import { CREATED_BY_ANY, ORGANISATION } from './columns'

/** Equal bytes are stored once for all organisations, under a new name each time. */
export const ATTACHMENTS: readonly string[] = [
  `CREATE TABLE blobs (
    sha256 text PRIMARY KEY,
    size_bytes bigint NOT NULL,
    reference_count bigint NOT NULL,
    object_name text NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE attachments (
    id integer PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    name text NOT NULL,
    content_type text,
    sha256 text REFERENCES blobs (sha256),
    run_id bigint REFERENCES runs (id) ON DELETE CASCADE,
    link_to_run_id bigint REFERENCES runs (id) ON DELETE CASCADE,
    unit_id bigint REFERENCES units (id) ON DELETE CASCADE,
    link_to_unit_id bigint REFERENCES units (id) ON DELETE CASCADE,
    ${CREATED_BY_ANY},
    received_at_us bigint,
    ${ORGANISATION}
  )`,
]
