import type { Migration } from './migration'
import { CREATED_BY_USER, ORGANISATION } from './initial/columns'

export const WEBHOOKS: Migration = {
  name: '008-webhooks',
  statements: [
    `CREATE TABLE webhooks (
      id integer PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      name text NOT NULL,
      url text NOT NULL,
      format text NOT NULL,
      events text NOT NULL,
      all_procedures bigint NOT NULL,
      yield_below double precision,
      enabled bigint NOT NULL,
      since_us bigint NOT NULL,
      ${CREATED_BY_USER},
      ${ORGANISATION}
    )`,
    `CREATE TABLE webhook_procedures (
      webhook_id bigint NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
      procedure_id bigint NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
      PRIMARY KEY (webhook_id, procedure_id)
    )`,
    'CREATE INDEX webhook_procedures_procedure ON webhook_procedures (procedure_id)',
    // Unique, so that of several services that find the same, one queues the message.
    `CREATE TABLE webhook_deliveries (
      id integer PRIMARY KEY,
      public_id text NOT NULL UNIQUE,
      webhook_id bigint NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
      procedure_id bigint REFERENCES procedures (id) ON DELETE CASCADE,
      subject text NOT NULL,
      number bigint NOT NULL,
      kind text NOT NULL,
      test_ids text NOT NULL,
      message text NOT NULL,
      created_at_us bigint NOT NULL,
      attempts bigint NOT NULL,
      next_attempt_at_us bigint,
      delivered_at_us bigint,
      last_status bigint,
      last_error text,
      UNIQUE (webhook_id, subject, number)
    )`,
    'CREATE INDEX webhook_deliveries_procedure ON webhook_deliveries (procedure_id)',
    'CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at_us) WHERE next_attempt_at_us IS NOT NULL',
    'CREATE INDEX webhook_deliveries_created ON webhook_deliveries (created_at_us)',
  ],
}
