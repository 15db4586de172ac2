import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  createAsk,
  createResponse,
  startTestServer,
  type TestServer,
} from '../../../testing/start-test-server'
import type { Database } from '../../../storage/database/database'

let server: TestServer
const ask = createAsk(() => server)
const read = createResponse(() => server)

beforeEach(async () => {
  server = await startTestServer({}, { config: { maxUnlinkedBytes: 1_000 } })
})

afterEach(() => server.stop())

interface Key {
  id: string
  key: string
  station: string
}

async function createStation(): Promise<Key> {
  const station = await read<{ id: string }>('POST', '/v2/stations', { name: `bench ${Math.random()}` })
  const body = { kind: 'station', name: 'bench', station_id: station.id }
  return { ...(await read<Key>('POST', '/v2/keys', body)), station: station.id }
}

async function createProject(): Promise<Key & { procedure: string }> {
  const { id } = await read<{ id: string }>('POST', '/v2/procedures', { name: `project ${Math.random()}` })
  return { ...(await createProjectKey(id)), procedure: id }
}

const createProjectKey = (procedure: string) =>
  read<Key>('POST', '/v2/keys', { kind: 'project', name: 'CI', procedure_id: procedure })

interface Uploaded {
  id: string
  status: number
  message: string
}

async function upload(bytes: number, key = server.apiKey, isChunked = false): Promise<Uploaded> {
  const headers = { authorization: `Bearer ${key}` }
  const made = await server.send('POST', '/v2/attachments', { name: 'noise.bin' }, headers)
  const { id, upload_url: address } = (await made.json()) as { id: string; upload_url: string }
  const blob = new Blob([Buffer.alloc(bytes, Math.random().toString())])
  const body = isChunked ? blob.stream() : blob
  const sent = await fetch(address, { method: 'PUT', body, duplex: 'half' } as RequestInit)
  const text = await sent.text()
  const { message = '' } = (text ? JSON.parse(text) : {}) as { message?: string }
  return { id, status: sent.status, message }
}

const list = () => read<{ data: { id: string; size: number | null }[] }>('GET', '/v2/attachments')

it('refuses an upload above what its station may have unlinked, and no upload of others', async () => {
  const { key } = await createStation()
  expect((await upload(600, key)).status).toBe(200)
  const refused = await upload(600, key)
  expect(refused.status).toBe(429)
  expect(refused.message).toContain(
    '600 bytes that are linked to nothing; with this there would be more than 1000',
  )
  expect(refused.message).toContain('RUNLEDGER_SERVER_MAX_UNLINKED_BYTES')
  expect((await upload(600)).status).toBe(200)
  const metrics = await (await server.send('GET', '/metrics')).text()
  expect(metrics).toContain('runledger_budget_exceeded_total{budget="unlinked"} 1')
  expect(metrics).toContain('runledger_attachment_unlinked_bytes 1200')
})

it('counts what is being received, and a body without a length', async () => {
  const together = await Promise.all([upload(600), upload(600)])
  expect(together.map(({ status }) => status).toSorted()).toEqual([200, 429])
  expect((await upload(600, (await createStation()).key, true)).status).toBe(200)
})

it('takes more when what there was is linked', async () => {
  const { id } = await upload(900)
  const run = await server.createRun()
  await read('PATCH', `/v2/runs/${run.id}`, { attachments: [id] })
  await expect.poll(async () => (await upload(900)).status, { timeout: 5_000, interval: 300 }).toBe(200)
})

it('lists what is linked to nothing, whoever sent it, and what is deleted leaves the list', async () => {
  const [own, other] = [await upload(10), await upload(20, (await createStation()).key)]
  const linked = await upload(30)
  await read('PATCH', `/v2/runs/${(await server.createRun()).id}`, { attachments: [linked.id] })
  expect((await list()).data.map(({ id, size }) => ({ id, size }))).toEqual([
    { id: other.id, size: 20 },
    { id: own.id, size: 10 },
  ])
  await read('DELETE', `/v2/attachments?ids=${own.id}`)
  expect((await list()).data).toMatchObject([{ id: other.id }])
})

it('deletes it with the last key of the station, and with the station', async () => {
  const [one, two] = [await createStation(), await createStation()]
  const body = { kind: 'station', name: 'second', station_id: one.station }
  const second = await read<Key>('POST', '/v2/keys', body)
  for (const { key } of [one, two]) await upload(10, key)
  await read('DELETE', `/v2/keys/${one.id}`)
  expect((await list()).data).toHaveLength(2)
  await read('DELETE', `/v2/keys/${second.id}`)
  expect((await list()).data).toHaveLength(1)
  await read('DELETE', `/v2/stations/${two.station}`)
  expect(await ask('GET', '/v2/attachments')).toMatchObject({ status: 200, body: { data: [] } })
})

it('refuses no upload of a project key because of those of another procedure', async () => {
  const [one, two] = [await createProject(), await createProject()]
  expect((await upload(900, one.key)).status).toBe(200)
  expect((await upload(500, two.key)).status).toBe(200)
  const refused = await upload(600, (await createProjectKey(two.procedure)).key)
  expect(refused).toMatchObject({
    status: 429,
    message: expect.stringContaining('has uploaded 500 bytes') as string,
  })
})

it('names the procedure of the project key that uploaded it', async () => {
  const { key, procedure } = await createProject()
  const { id } = await upload(10, key)
  await upload(20)
  expect((await list()).data).toMatchObject([
    { created_by_user: expect.anything() as unknown, created_by_procedure: null },
    { id, created_by_user: null, created_by_station: null, created_by_procedure: { id: procedure } },
  ])
})

it('deletes it with the last project key of the procedure, and with the procedure', async () => {
  const [one, two] = [await createProject(), await createProject()]
  const second = await createProjectKey(one.procedure)
  for (const { key } of [one, two]) await upload(10, key)
  await read('DELETE', `/v2/keys/${one.id}`)
  expect((await list()).data).toHaveLength(2)
  await read('DELETE', `/v2/keys/${second.id}`)
  expect((await list()).data).toHaveLength(1)
  await read('DELETE', `/v2/procedures/${two.procedure}`)
  expect((await list()).data).toEqual([])
})

it('keeps what a new key uploads while the last key is deleted', async () => {
  await server.stop()
  let isArmed = false
  let last: Awaited<ReturnType<typeof createProject>>
  const wrapDatabase = (plain: Database): Database => ({
    query: plain.query,
    read: (work, options) => plain.read(work, options),
    stats: () => plain.stats(),
    close: () => plain.close(),
    write: async (work) => {
      const result = await plain.write(work)
      // The key is revoked. Its uploads are deleted by the next write.
      if (isArmed && (result as { id?: unknown } | undefined)?.id === last.id) {
        isArmed = false
        await upload(20, (await createProjectKey(last.procedure)).key)
      }
      return result
    },
  })
  server = await startTestServer({}, { wrapDatabase })
  last = await createProject()
  await upload(10, last.key)
  isArmed = true
  await read('DELETE', `/v2/keys/${last.id}`)
  expect(isArmed).toBe(false)
  expect((await list()).data.map(({ size }) => size)).toContain(20)
})
