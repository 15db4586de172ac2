import { type AuditEntry, formatTimestampUs } from '@runledger/protocol'
import { listAuditEntries } from '../../record/access/audit/store'
import type { AuditEntriesTable } from '../../storage/database/schema/audit'
import { pageFrom } from '../../storage/database/sorted-page'
import type { Handlers } from '../call/handler'

export const AUDIT_HANDLERS: Handlers<'listAuditEntries'> = {
  listAuditEntries: async ({ context, query }) =>
    pageFrom(await listAuditEntries(context.database.query, query), query.limit, mapEntry),
}

function mapEntry(row: AuditEntriesTable): AuditEntry {
  return {
    id: row.public_id,
    created_at: formatTimestampUs(row.created_at_us),
    operation: row.operation,
    actor: {
      kind: row.actor_kind,
      id: row.actor_id,
      name: row.actor_name,
      key: row.key_id === null ? null : { id: row.key_id, name: row.key_name ?? '' },
    },
    address: row.address,
    subject: { kind: row.subject_kind, id: row.subject_id, name: row.subject_name },
    before: parseFacts(row.facts_before),
    after: parseFacts(row.facts_after),
  }
}

function parseFacts(stored: string | null): Record<string, unknown> | null {
  return stored === null ? null : (JSON.parse(stored) as Record<string, unknown>)
}
