import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { OPERATION_ROUTES, type OperationName } from '../../packages/protocol/src/index'
import type { Database } from '../../packages/server/src/storage/database/database'
import { ask } from './ask'
import { listAllowed } from './askers'
import { CASES } from './cases'
import type { ContractInput } from './contract-case'
import { dumpTables } from './dump-tables'
import { OPERATION_NAMES } from './generated-cases'
import { type Asker, createWorld, MAX_BODY_BYTES, type World } from './world'

/** Those that write nothing, answer 200 with a result for each of several runs, or wait for the import before theirs. */
const OTHERS: readonly OperationName[] = [
  'finalizeAttachment',
  'createV1Runs',
  'importStructuredFiles',
  'importTabularFile',
]

const WRITES = OPERATION_NAMES.filter(
  (name) => OPERATION_ROUTES[name].method !== 'GET' && !OTHERS.includes(name),
)

/** A database whose writes wait while it is held. */
class HeldDatabase {
  isHeld = false
  readonly waiting: (() => void)[] = []

  wrap(plain: Database): Database {
    const write: Database['write'] = async (work) => {
      if (this.isHeld) await new Promise<void>((resolve) => this.waiting.push(resolve))
      return plain.write(work)
    }
    return { ...plain, write }
  }

  release(): void {
    this.isHeld = false
    for (const goOn of this.waiting.splice(0)) goOn()
  }

  waitFor(count: number): Promise<void> {
    return vi.waitFor(() => expect(this.waiting.length).toBe(count), 20_000)
  }
}

let world: World
let held: HeldDatabase

beforeEach(async () => {
  held = new HeldDatabase()
  world = await createWorld(MAX_BODY_BYTES, { wrapDatabase: (plain) => held.wrap(plain) })
})

afterEach(() => {
  held.release()
  return world.stop()
})

/** A request of each operation that writes, where the cases of the contract have one of this asker. */
async function listWrites(as: Asker): Promise<Request[]> {
  const requests: Request[] = []
  for (const operation of WRITES.filter((name) => listAllowed(name).includes(as))) {
    const one = CASES.find(
      (each) => each.operation === operation && each.answers === 'ok' && (each.as ?? [as]).includes(as),
    )
    if (one) requests.push({ operation, input: await one.input(world) })
  }
  return requests
}

interface Request {
  operation: OperationName
  input: ContractInput
}

/** The headers of a session that a key opens. */
async function signIn(key: string): Promise<Record<string, string>> {
  const response = await world.server.send('POST', '/session', { key })
  const { token } = (await response.json()) as { token: string }
  return {
    cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '',
    'runledger-session-token': token,
  }
}

it.each(['user', 'session', 'station'] as const)(
  'what a %s asked for is not written after the key was revoked',
  async (asker) => {
    const kind = asker === 'station' ? 'station' : 'user'
    const station = kind === 'user' ? {} : { station_id: world.stationId }
    const { id, key } = await world.client.createKey({ body: { kind, name: 'soon gone', ...station } })
    const session = asker === 'session' ? await signIn(key) : undefined
    const requests = (await listWrites(kind)).filter(
      ({ operation }) => session === undefined || operation !== 'createSignInLink',
    )
    if (asker === 'user') expect(requests.map(({ operation }) => operation)).toEqual(WRITES)
    const before = await dumpTables(world.server)
    held.isHeld = true
    const revoked = world.client.deleteKey({ params: { id } })
    await held.waitFor(1)
    const askers = { ...world, keys: { ...world.keys, user: session ? undefined : key } }
    const answers = requests.map(({ operation, input: { headers, ...input } }) => {
      const own = { ...input, headers: { ...headers, ...session } }
      return ask(askers, { operation, input: own, as: 'user', prefix: '' })
    })
    await held.waitFor(1 + requests.length)
    held.waiting[0]?.()
    await revoked
    held.release()
    const statuses = await Promise.all(answers).then((all) => all.map(({ status }) => status))
    expect(requests.map(({ operation }, index) => `${operation} ${statuses[index]}`)).toEqual(
      requests.map(({ operation }) => `${operation} 401`),
    )
    const {
      api_keys: _,
      sessions: __,
      audit_entries: entries = [],
      ...after
    } = await dumpTables(world.server)
    expect(before).toMatchObject(after)
    expect(entries).toHaveLength((before['audit_entries'] ?? []).length + 1)
    expect(entries.at(-1)).toMatchObject({ operation: 'deleteKey', subject_id: id })
  },
)
