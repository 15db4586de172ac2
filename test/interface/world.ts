import { type Client, createClient } from '../../packages/protocol/src/index'
import type { ContextParts } from '../../packages/server/src/open-context'
import { startTestServer, type TestServer } from '../../packages/server/src/testing/start-test-server'

/**
 * Who asks: a user with the key of an admin, a member or a viewer, a station linked to the world's procedure, a station linked to
 * none, a project key of the world's procedure or of another, a key that was revoked, one that is expired seconds after the start,
 * or nobody.
 */
export type Asker =
  | 'user'
  | 'member'
  | 'viewer'
  | 'station'
  | 'other-station'
  | 'project'
  | 'other-project'
  | 'revoked'
  | 'expired'
  | 'nobody'

/** A service with something of everything in it. */
export interface World {
  server: TestServer
  /** Asks as the user; throws for anything but success. */
  client: Client
  keys: Record<Asker, string | undefined>
  procedureId: string
  /** A user's, who may be named as operator. */
  operatorEmail: string
  stationId: string
  /** A text that nothing had before: numbers, names. */
  unique(prefix: string): string
  /** A run of the world's procedure, its id. */
  createRun(serialNumber?: string): Promise<string>
  /** An attachment whose bytes were received, its id; by default the user's. */
  uploadAttachment(name?: string, as?: Asker): Promise<string>
  stop(): Promise<void>
}

/** Longest body of a request, short for the tests that send more. */
export const MAX_BODY_BYTES = 256 * 1024

/** Messages to webhooks stay as they are, so that records change by requests alone. */
const NEVER = { detectMs: 2 ** 31 - 1, sendMs: 2 ** 31 - 1 }

export async function createWorld(
  maxBodyBytes = MAX_BODY_BYTES,
  parts: Pick<ContextParts, 'wrapDatabase'> = {},
): Promise<World> {
  const config = { maxBodyBytes }
  const server = await startTestServer({}, { config, webhookIntervals: NEVER, ...parts })
  const client = createClient(async ({ method, path, body, headers }) => {
    const response = await server.send(method, path, body, headers)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return JSON.parse(text) as unknown
  })
  let count = 0
  const unique = (prefix: string) => `${prefix}-${(count += 1)}`
  const { id: procedureId } = await client.createProcedure({
    body: { name: 'Contract procedure', identifier: 'CONTRACT' },
  })
  const otherProcedure = await client.createProcedure({ body: { name: 'Other procedure' } })
  const operatorEmail = 'operator@example.com'
  await client.createUser({ body: { email: operatorEmail, name: 'Operator' } })
  const station = await createStation(client, 'Linked station')
  await client.linkStationProcedure({ params: { id: station.id, procedure_id: procedureId } })
  const other = await createStation(client, 'Other station')
  const keys = {
    user: server.apiKey,
    ...(await createUserKeys(client)),
    station: station.key,
    'other-station': other.key,
    project: await createProjectKey(client, procedureId),
    'other-project': await createProjectKey(client, otherProcedure.id),
    nobody: undefined,
  }
  return {
    server,
    client,
    procedureId,
    operatorEmail,
    stationId: station.id,
    unique,
    keys,
    createRun: async (serialNumber = unique('SN')) => {
      const run = await client.createLenientV1Run({
        body: {
          procedure_id: procedureId,
          unit_under_test: { serial_number: serialNumber, part_number: 'PN-1', revision: 'A' },
          run_passed: true,
        },
      })
      return run.id ?? ''
    },
    uploadAttachment: (name = 'file.txt', as = 'user') =>
      server.upload(name, `bytes of ${unique('file')}`, { authorization: `Bearer ${keys[as] ?? keys.user}` }),
    stop: () => server.stop(),
  }
}

/** Longer than the request that creates the key. */
const EXPIRY_MS = 5_000

async function createUserKeys(
  client: Client,
): Promise<Record<'member' | 'viewer' | 'revoked' | 'expired', string>> {
  const create = (body: object) => client.createKey({ body: { kind: 'user', name: 'Key', ...body } })
  const revoked = await create({})
  await client.deleteKey({ params: { id: revoked.id } })
  const expired = await create({ expires_at: new Date(Date.now() + EXPIRY_MS).toISOString() })
  const [member, viewer] = [await create({ role: 'member' }), await create({ role: 'viewer' })]
  return { member: member.key, viewer: viewer.key, revoked: revoked.key, expired: expired.key }
}

async function createProjectKey(client: Client, procedureId: string): Promise<string> {
  return (await client.createKey({ body: { kind: 'project', name: 'Key', procedure_id: procedureId } })).key
}

async function createStation(client: Client, name: string): Promise<{ id: string; key: string }> {
  const { id } = await client.createStation({ body: { name } })
  const { key } = await client.createKey({ body: { kind: 'station', name, station_id: id } })
  return { id, key }
}
