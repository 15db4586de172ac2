import type { AuditActorKind, AuditSubject } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../base/clock'
import type { Query, Transaction } from '../../../storage/database/database'
import type { KeyGenerator } from '../../../storage/database/keys'
import type { AuditEntriesTable } from '../../../storage/database/schema/audit'
import type { Principal } from '../keys/principal'

export type Facts = Readonly<Record<string, unknown>>

/** A value that may be a secret: entries have only its length. */
export class HiddenValue {
  constructor(readonly value: unknown) {}
}

/** Without `before` it was created, without `after` deleted; without both, something was done with it. */
export interface Change {
  kind: AuditSubject
  id: string
  name: string
  before?: Facts
  after?: Facts
}

export function describeSettings(before: Facts, after: Facts): Change {
  return { kind: 'settings', id: 'settings', name: 'settings', before, after }
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
    if (changed.before === NO_FACTS && changed.after === NO_FACTS) return
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

const NO_FACTS = '{}'

/** Longest JSON of one fact; a longer one is replaced by its length. */
const MAX_FACT_LENGTH = 500

/** JSON of the facts that the other has not, or has otherwise; null without facts. */
function differing(facts: Facts | undefined, other: Facts | undefined): string | null {
  if (!facts) return null
  const others = new Map(other && flatten(other))
  const entries = flatten(facts).flatMap(([name, value]): [string, unknown][] => {
    const compared = others.get(name) ?? null
    if (textOf(value) === (other ? textOf(compared) : 'null')) return []
    return [
      [name, shorten(Array.isArray(value) && Array.isArray(compared) ? without(value, compared) : value)],
    ]
  })
  return JSON.stringify(Object.fromEntries(entries))
}

/** The entries of a record are facts of their own, `name.entry`. */
function flatten(facts: Facts): [string, unknown][] {
  return Object.entries(facts).flatMap(([name, value]) =>
    isRecord(value)
      ? Object.entries(value).map(([entry, inner]): [string, unknown] => [`${name}.${entry}`, inner])
      : [[name, value ?? null]],
  )
}

function isRecord(value: unknown): value is Facts {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof HiddenValue)
  )
}

function textOf(value: unknown): string {
  return JSON.stringify(value instanceof HiddenValue ? value.value : value)
}

function shorten(value: unknown): unknown {
  const { length } = textOf(value)
  return value instanceof HiddenValue || length > MAX_FACT_LENGTH ? `… (${length} characters)` : value
}

/** The members of a list that the other list does not have; all if they only changed places. */
function without(list: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const known = new Set(other.map(textOf))
  const own = list.filter((member) => !known.has(textOf(member)))
  return own.length === 0 && list.length === other.length ? list : own
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
