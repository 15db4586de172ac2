import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type Access,
  createClient,
  OPERATION_ROUTES,
  OPERATIONS,
  type OperationName,
} from '../../packages/protocol/src/index'
import { ask } from './ask'
import { CASES } from './cases'
import type { ContractCase, ContractInput } from './contract-case'
import { dumpTables } from './dump-tables'
import { findChanges } from './find-changes'
import { OPERATION_NAMES } from './generated-cases'
import { STATION_ATTEMPTS } from './station-attempts'
import { CHANGES, describeStationPowers, STATION_WRITES } from './station-powers'
import { createWorld, type World } from './world'

const SITUATIONS = [
  'a station that is linked to nothing',
  'a linked station',
  'a linked station with runs of its own about the units',
  'a project key',
] as const
type Situation = (typeof SITUATIONS)[number]

const MAKERS = ['a user', 'another station', 'another project key'] as const
type Maker = (typeof MAKERS)[number]

/** Refused to a station that is linked to nothing, and has made nothing. */
const NEED_A_LINK: readonly Access[] = [
  'linked-procedure',
  'linked-run',
  'linked-station',
  'own-unit',
  'own-station',
]

const OF_PROJECTS: readonly Access[] = ['every-key', 'linked-procedure', 'linked-run']

/** Those that a user may do; of an operation that always refuses, its refusals. */
function listAttempts(operation: OperationName): ContractCase[] {
  const all = [...CASES, ...STATION_ATTEMPTS].filter((one) => one.operation === operation)
  const successes = all.filter((one) => one.answers === 'ok' || STATION_ATTEMPTS.includes(one))
  return successes.length > 0 ? successes : all
}

let world: World
/** That of the asker. */
let key: string

async function createKey(name: Situation): Promise<string> {
  if (name === 'a project key') return world.keys.project ?? ''
  const { id } = await world.client.createStation({ body: { name } })
  const params = { id, procedure_id: world.procedureId }
  if (name !== 'a station that is linked to nothing') await world.client.linkStationProcedure({ params })
  return (await world.client.createKey({ body: { kind: 'station', name, station_id: id } })).key
}

/** The same world, in which the linked station, or a project key, makes what it may, and the user the rest. */
function madeBy(maker: Maker): World {
  if (maker === 'a user') return world
  const asker = maker === 'another station' ? 'station' : 'other-project'
  const { server } = world
  const authorization = `Bearer ${world.keys[asker]}`
  const client = createClient(async ({ method, path: address, body, headers }) => {
    const own = await server.send(method, address, body, { ...headers, authorization })
    // A project key gets 404 for a run of another procedure.
    const response = [403, 404].includes(own.status) ? await server.send(method, address, body, headers) : own
    if (response.status !== 200) throw new Error(`${method} ${address}: ${await response.text()}`)
    return response.json()
  })
  const createRun = async (serialNumber = world.unique('SN')) => {
    const unit = { serial_number: serialNumber, part_number: 'PN-1', revision: 'A' }
    const body = { procedure_id: world.procedureId, unit_under_test: unit, run_passed: true }
    return (await client.createLenientV1Run({ body })).id ?? ''
  }
  const uploadAttachment = (name?: string) => world.uploadAttachment(name, asker)
  return { ...world, client, createRun, uploadAttachment }
}

const askAs = (operation: OperationName, input: ContractInput) =>
  ask({ ...world, keys: { ...world.keys, station: key } }, { operation, input, as: 'station', prefix: '' })

/** Serial numbers of the units that a request is about. */
function listSerialNumbers({ params, query, body }: ContractInput): string[] {
  const { serial_number: inBody, child_serial_number: child } = (body ?? {}) as Record<string, unknown>
  const { serial_numbers: inQuery = [], child_serial_number: queried } = (query ?? {}) as Record<
    string,
    unknown
  >
  const all = [params?.['serial_number'], inBody, child, queried, ...(inQuery as unknown[])]
  return all.filter((each) => typeof each === 'string')
}

async function makeOwnRuns(input: ContractInput): Promise<void> {
  for (const serialNumber of listSerialNumbers(input)) {
    const body = {
      procedure_id: world.procedureId,
      unit_under_test: { serial_number: serialNumber },
      run_passed: true,
    }
    await askAs('createLenientV1Run', { body })
  }
}

function isRefused(operation: OperationName, situation: Situation): boolean {
  const { access } = OPERATIONS[operation]
  if (access === 'user-key') return true
  if (situation === 'a project key') return !OF_PROJECTS.includes(access)
  if (access === 'own-unit') return situation !== 'a linked station with runs of its own about the units'
  return (
    access === 'own-station' ||
    (situation === 'a station that is linked to nothing' && NEED_A_LINK.includes(access))
  )
}

describe.each(SITUATIONS)('%s', (situation) => {
  describe.each(MAKERS)('and records of %s', (maker) => {
    // Each of its own: the records of all would make each comparison slower.
    beforeAll(async () => {
      world = await createWorld()
      key = await createKey(situation)
      await waitForStart()
    })

    afterAll(() => world.stop())

    const isTried = (name: OperationName) => OPERATION_ROUTES[name].method !== 'GET' || maker === 'a user'
    const ofKeys = OPERATION_NAMES.filter((name) => OPERATIONS[name].access !== 'none')
    it.each(ofKeys.filter(isTried))('%s', async (operation) => {
      const attempts = listAttempts(operation)
      for (const one of attempts) await attempt(one, situation, madeBy(maker))
      expect(attempts.length).toBeGreaterThan(0)
    })
  })
})

/** Until the service has written what it writes after its start. */
async function waitForStart(): Promise<void> {
  await vi.waitUntil(async () => {
    const { settings = [] } = await dumpTables(world.server)
    return settings.some(({ name, value }) => name === 'internal.line_filled_to' && value === '-1')
  })
}

async function attempt(one: ContractCase, situation: Situation, made: World): Promise<void> {
  const { operation } = one
  const input = await one.input(made)
  if (situation === 'a linked station with runs of its own about the units') await makeOwnRuns(input)
  const before = await dumpTables(world.server)
  const { status } = await askAs(operation, input)
  const changes = findChanges(before, await dumpTables(world.server))
  const isRead = OPERATION_ROUTES[operation].method === 'GET'
  const refused = isRefused(operation, situation)
  if (refused && status !== 404) expect(`${operation} ${status}`).toBe(`${operation} 403`)
  const allowed = isRead || refused ? [] : (CHANGES[operation as keyof typeof CHANGES] ?? [])
  expect(changes.ofKnown.filter((change) => !allowed.includes(change))).toEqual([])
  if (isRead || status !== 200) expect(changes.added).toEqual([])
}

it('every operation by which a station may write is declared', () => {
  expect(Object.keys(CHANGES).toSorted()).toEqual(STATION_WRITES.toSorted())
})

it('SECURITY.md says what a station may do', async () => {
  const text = await readFile(path.join(import.meta.dirname, '../../SECURITY.md'), 'utf8')
  expect(text.replaceAll(/\s+/g, ' ')).toContain(describeStationPowers())
})
