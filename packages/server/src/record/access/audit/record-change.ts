import type { AuditActorKind, AuditSubject } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../base/clock'
import type { Query, Transaction } from '../../../storage/database/database'
import type { KeyGenerator } from '../../../storage/database/keys'
import type { AuditEntriesTable } from '../../../storage/database/schema/audit'
import type { Principal } from '../keys/principal'

export type Facts = Readonly<Record<string, unknown>>

/** Without `before` it was created, without `after` deleted; without both, something was done with it. */
export interface Change {
  kind: AuditSubject
  id: string
  name: string
  before?: Facts
  after?: Facts
}

/** Adds an entry to the audit log in the transaction of the change. A change of nothing gets none. */
export type RecordChange = (transaction: Pick<Transaction, 'query'>, change: Change) => Promise<void>

interface Source {
  operation: string
  /** Undefined for the service itself. */
  principal?: Principal | undefined
  address?: string | undefined
}

export function createRecordChange(
  { clock, nextKey }: { clock: Clock; nextKey: KeyGenerator },
  { operation, principal, address }: Source,
): RecordChange {
  let actor: ActorColumns | undefined
  return async ({ query }, { kind, id, name, before, after }) => {
    const changed = { before: differing(before, after), after: differing(after, before) }
    if (before && after && !changed.before && !changed.after) return
    actor ??= await describeActor(query, principal)
    const entry: AuditEntriesTable = {
      id: nextKey(),
      public_id: randomUUID(),
      created_at_us: clock(),
      operation,
      ...actor,
      address: address ?? null,
      subject_kind: kind,
      subject_id: id,
      subject_name: name,
      facts_before: changed.before,
      facts_after: changed.after,
    }
    await query.insertInto('audit_entries').values(entry).execute()
  }
}

/** Longest JSON of one fact; a longer one is replaced by its length. */
const MAX_FACT_LENGTH = 2_000

/** JSON of the facts that the other has not, or has otherwise; null without any. */
function differing(facts: Facts | undefined, other: Facts | undefined): string | null {
  const entries = Object.entries(facts ?? {}).flatMap(([name, value]) => {
    const text = JSON.stringify(value ?? null)
    if (!other && text === 'null') return []
    if (other && text === JSON.stringify(other[name] ?? null)) return []
    return [[name, text.length > MAX_FACT_LENGTH ? `… (${text.length} characters)` : (value ?? null)]]
  })
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries))
}

type ActorColumns = Pick<AuditEntriesTable, 'actor_kind' | 'actor_id' | 'actor_name' | 'key_id' | 'key_name'>

async function describeActor(query: Query, principal: Principal | undefined): Promise<ActorColumns> {
  if (!principal || principal.kind === 'anonymous') return describe('service')
  if (principal.kind === 'user') {
    const user = await query
      .selectFrom('users')
      .select(['public_id as id', 'name', 'email'])
      .where('id', '=', principal.userId)
      .executeTakeFirst()
    return describe(
      'user',
      user && { id: user.id, name: user.name ?? user.email },
      await findKey(query, principal),
    )
  }
  if (principal.kind === 'station') {
    const station = await query
      .selectFrom('stations')
      .select(['public_id as id', 'name'])
      .where('id', '=', principal.stationId)
      .executeTakeFirst()
    return describe('station', station)
  }
  const procedure = await query
    .selectFrom('procedures')
    .select(['public_id as id', 'name'])
    .where('id', '=', principal.procedureId)
    .executeTakeFirst()
  return describe('project', procedure, await findKey(query, principal))
}

interface Named {
  id: string
  name: string | null
}

function describe(kind: AuditActorKind, actor?: Named, key?: Named): ActorColumns {
  return {
    actor_kind: kind,
    actor_id: actor?.id ?? null,
    actor_name: actor?.name ?? null,
    key_id: key?.id ?? null,
    key_name: key?.name ?? null,
  }
}

async function findKey(query: Query, { keyId }: { keyId: number | null }): Promise<Named | undefined> {
  if (keyId === null) return undefined
  return query
    .selectFrom('api_keys')
    .select(['public_id as id', 'name'])
    .where('id', '=', keyId)
    .executeTakeFirst()
}
