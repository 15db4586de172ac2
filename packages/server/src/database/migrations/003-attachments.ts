import type { Migration } from './migration'

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
