import type { ListAuditEntriesQuery } from '@runledger/protocol'
import { anyOf, containsTyped, isBetween, isOneOf, timeUs } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import type { AuditEntriesTable } from '../../../storage/database/schema/audit'

/** After the cursor, newest first, and one more than `limit` when there are more. */
export async function listAuditEntries(
  query: Query,
  list: ListAuditEntriesQuery,
): Promise<AuditEntriesTable[]> {
  const text = list.search_query?.trim()
  const conditions = [
    ...isOneOf('operation', list.operations),
    ...isOneOf('actor_id', list.actor_ids),
    ...isOneOf('subject_kind', list.subject_kinds),
    ...isOneOf('subject_id', list.subject_ids),
    ...isBetween('created_at_us', timeUs(list.created_after), timeUs(list.created_before)),
    ...(text ? [anyOf(['actor_name', 'subject_name'].map((column) => containsTyped(column, text)))] : []),
  ]
  const filtered = conditions.reduce(
    (select, condition) => select.where(condition),
    query.selectFrom('audit_entries').selectAll(),
  )
  return filtered
    .$if(list.cursor !== undefined, (some) => some.where('id', '<', list.cursor as number))
    .orderBy('id', 'desc')
    .limit(list.limit + 1)
    .execute()
}
