import type { AuditActorKind, AuditSubject } from '@runledger/protocol'

/** Rows are never changed or deleted. They name things as they were then, since those may be renamed or deleted. */
export interface AuditEntriesTable {
  id: number
  public_id: string
  created_at_us: number
  operation: string
  actor_kind: AuditActorKind
  /** Null for the service itself. */
  actor_id: string | null
  actor_name: string | null
  key_id: string | null
  key_name: string | null
  address: string | null
  subject_kind: AuditSubject
  subject_id: string
  subject_name: string
  /** JSON objects of what changed. */
  facts_before: string | null
  facts_after: string | null
}
