import { afterEach, beforeEach, expect, it } from 'vitest'
import { OPERATION_ROUTES, type OperationName } from '../../packages/protocol/src/index'
import { ask } from './ask'
import { listAllowed, listRefused } from './askers'
import { CASES } from './cases'
import type { ContractInput } from './contract-case'
import { dumpTables } from './dump-tables'
import { dummyInput, OPERATION_NAMES } from './generated-cases'
import { createWorld, type World } from './world'

const WRITES = OPERATION_NAMES.filter((name) => OPERATION_ROUTES[name].method !== 'GET')

/** A session is no key: it opens no other session, and ends with this operation. */
const OTHERS: readonly OperationName[] = ['createSignInLink', 'deleteSessions']

let world: World

beforeEach(async () => {
  world = await createWorld()
})

afterEach(() => world.stop())

interface Session {
  cookie: string
  'runledger-session-token': string
}

async function signIn(asker: 'user' | 'member' | 'viewer'): Promise<Session> {
  const response = await world.server.send('POST', '/session', { key: world.keys[asker] })
  const { token } = (await response.json()) as { token: string }
  return {
    cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '',
    'runledger-session-token': token,
  }
}

async function send(
  operation: OperationName,
  { headers, ...input }: ContractInput,
  session: Partial<Session>,
): Promise<string> {
  const asked = { operation, input: { ...input, headers: { ...headers, ...session } }, prefix: '' }
  return `${operation} ${(await ask(world, { ...asked, as: 'nobody' })).status}`
}

/** An input with which an admin succeeds. */
async function inputOf(operation: OperationName): Promise<ContractInput> {
  const found = CASES.find(
    (one) => one.operation === operation && one.answers === 'ok' && (one.as ?? ['user']).includes('user'),
  )
  return found ? found.input(world) : dummyInput(operation)
}

it('change what their role allows, with their token', async () => {
  const session = await signIn('user')
  const operations = WRITES.filter((name) => listAllowed(name).includes('user') && !OTHERS.includes(name))
  const answers: string[] = []
  for (const name of operations) answers.push(await send(name, await inputOf(name), session))
  expect(answers).toEqual(operations.map((name) => `${name} 200`))
  expect(await send('createSignInLink', {}, session)).toBe('createSignInLink 403')
  expect(await send('deleteSessions', {}, session)).toBe('deleteSessions 200')
  expect(await send('listRuns', {}, session)).toBe('listRuns 401')
})

it('change nothing without their token, or with that of another session', async () => {
  const { cookie } = await signIn('user')
  const { 'runledger-session-token': other } = await signIn('user')
  const inputs = new Map<OperationName, ContractInput>()
  for (const name of WRITES) inputs.set(name, await inputOf(name))
  const before = await dumpTables(world.server)
  for (const session of [{ cookie }, { cookie, 'runledger-session-token': other }]) {
    const answers = await Promise.all([...inputs].map(([name, input]) => send(name, input, session)))
    expect(answers).toEqual(WRITES.map((name) => `${name} 401`))
  }
  expect(await send('listRuns', {}, { cookie })).toBe('listRuns 200')
  expect(await send('listRuns', {}, { 'runledger-session-token': other })).toBe('listRuns 401')
  expect(await dumpTables(world.server)).toEqual(before)
})

it.each(['member', 'viewer'] as const)('do no more than the key of a %s', async (asker) => {
  const session = await signIn(asker)
  const refused = OPERATION_NAMES.filter((name) => listRefused(name).includes(asker))
  const answers: string[] = []
  for (const name of refused) answers.push(await send(name, await inputOf(name), session))
  expect(answers).toEqual(refused.map((name) => `${name} 403`))
})
