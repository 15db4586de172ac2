import { AuditEntryPageSchema, ListAuditEntriesQuerySchema } from '../resources/audit-entry'
import type { Operation } from './operation'

export const AUDIT_OPERATIONS = {
  listAuditEntries: {
    tag: 'Audit',
    summary: 'List who changed what, newest first',
    access: 'user-key',
    role: 'admin',
    errors: [],
    query: ListAuditEntriesQuerySchema,
    response: AuditEntryPageSchema,
  },
} as const satisfies Record<string, Operation>
