import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createExecution } from '../../packages/core/src/execution'
import { type S3StandIn, startS3StandIn } from '../../packages/server/src/testing/s3-stand-in'
import { startTestServer, type TestServer } from '../../packages/server/src/testing/start-test-server'
import { sha256 } from '../support/digest'
import { createSuite, createTest, FACTS } from '../support/suites'
import { describeWithPostgres } from './with-postgres'

const MAX_BYTES = 1_000

describeWithPostgres('uploads that clients send to the store itself', (postgres) => {
  let store: S3StandIn
  let folder: string
  let server: TestServer
  let database: string
  let count = 0

  beforeAll(async () => {
    store = await startS3StandIn()
  })

  afterAll(() => store.stop())

  beforeEach(async () => {
    count += 1
    folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-direct-'))
    database = await postgres().createDatabase(`direct_${count}`)
    server = await start()
  })

  afterEach(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  function start(change: { unlinkedLifeHours?: number } = {}): Promise<TestServer> {
    const env = {
      AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
      RUNLEDGER_DIRECT_UPLOADS: 'true',
      RUNLEDGER_UPLOAD_LIFE_SECONDS: '60',
    }
    const storage = store.addressOf(`direct-${count}`)
    const flags = { data: folder, database, storage, maxAttachmentBytes: MAX_BYTES, ...change }
    return startTestServer(flags, { env })
  }

  const listObjects = () =>
    [...store.objects.keys()]
      .filter((name) => name.startsWith(`direct-${count}/`) && !name.endsWith('/database.json'))
      .map((name) => name.slice(`direct-${count}/`.length))

  interface Answer {
    id: string
    upload_url: string
    url: string
    code: string
  }

  const ask = async (method: string, address: string, body?: unknown) => {
    const response = await server.send(method, address, body)
    return { status: response.status, body: (await response.json()) as Answer }
  }

  const initialize = async (name: string) => (await ask('POST', '/v2/attachments', { name })).body

  const put = async (address: string, body: string, headers: Record<string, string> = {}) =>
    (await fetch(address, { method: 'PUT', body, headers })).status

  const finalize = (id: string) => ask('POST', `/v2/attachments/${id}/finalize`)

  it('are on record with the digest and size of what arrived, whatever is sent to the address later', async () => {
    const { id, upload_url: address } = await initialize('log.txt')
    expect(address.startsWith(`${store.endpoint}/direct-${count}/uploads/${id}?`)).toBe(true)
    expect((await finalize(id)).status).toBe(400)
    expect(await put(address, 'first')).toBe(200)
    expect(await put(address, 'the last', { 'content-type': 'text/x-log' })).toBe(200)
    const { status, body } = await finalize(id)
    expect(status).toBe(200)
    expect(await put(address, 'too late')).toBe(200)
    expect((await finalize(id)).status).toBe(200)
    const response = await fetch(body.url)
    expect(await response.text()).toBe('the last')
    expect(response.headers.get('etag')).toContain(sha256('the last'))
    expect(response.headers.get('content-type')).toContain('text/x-log')
    expect(body.url.startsWith(server.url)).toBe(true)
  })

  it('are taken when a run, a unit or an image names them, equal ones once', async () => {
    const { id: run } = await server.createRun()
    const sent = await Promise.all(['a.txt', 'b.txt', 'c.txt', 'd.png'].map(initialize))
    for (const { upload_url: address } of sent) expect(await put(address, 'equal')).toBe(200)
    const [first, second, third, fourth] = sent.map(({ id }) => id)
    const waiting = (await initialize('never-sent.txt')).id
    expect((await ask('PATCH', `/v2/runs/${run}`, { attachments: [first, waiting] })).status).toBe(400)
    expect((await ask('PATCH', `/v2/runs/${run}`, { attachments: [first, second] })).status).toBe(200)
    expect((await ask('POST', '/v1/uploads/sync', { upload_id: third, run_id: run })).status).toBe(200)
    expect((await ask('PATCH', '/v2/parts/PART-1', { image_id: waiting })).status).toBe(404)
    expect((await ask('PATCH', '/v2/parts/PART-1', { image_id: fourth })).status).toBe(200)
    expect((await server.getRun(run)).attachments).toMatchObject([{ size: 5 }, { size: 5 }, { size: 5 }])
    expect(listObjects()).toHaveLength(1)
  })

  it('take what a plain client sends, and nothing once the address is old or altered', async () => {
    const { id, upload_url: address } = await initialize('log.txt')
    const file = path.join(folder, 'sent.txt')
    await writeFile(file, 'by curl')
    await promisify(execFile)('curl', ['--silent', '--fail', '--upload-file', file, address])
    expect(await put(address.replace(id, id.replaceAll(/\d/g, '0')), 'elsewhere')).toBe(403)
    store.advance(61)
    expect(await put(address, 'too late')).toBe(403)
    store.advance(-61)
    expect(await (await fetch((await finalize(id)).body.url)).text()).toBe('by curl')
  })

  it('are refused and removed above the limit, when they are asked for', async () => {
    const { id, upload_url: address } = await initialize('large.bin')
    expect(await put(address, 'x'.repeat(MAX_BYTES + 1))).toBe(200)
    expect(await finalize(id)).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } })
    expect(listObjects()).toEqual([])
    expect(await put(address, 'x'.repeat(MAX_BYTES))).toBe(200)
    expect((await finalize(id)).status).toBe(200)
  })

  it('are not taken where another was sent after the size was looked at', async () => {
    const { id, upload_url: address } = await initialize('replaced.bin')
    expect(await put(address, 'small')).toBe(200)
    const release = store.hold('PUT')
    const before = store.requests.length
    const finalizing = finalize(id)
    await expect.poll(() => store.requests.slice(before).some((line) => line.startsWith('PUT'))).toBe(true)
    store.objects.set(`direct-${count}/uploads/${id}`, Buffer.from('x'.repeat(MAX_BYTES + 1)))
    release()
    expect((await finalizing).status).toBe(400)
    expect((await finalize(id)).status).toBe(413)
    expect(listObjects()).toEqual([])
  })

  it('are taken once by requests that come at once, and later when the store is away', async () => {
    const { id, upload_url: address } = await initialize('log.txt')
    await put(address, 'wanted by many')
    store.refuse('HEAD', 503)
    expect((await finalize(id)).status).toBe(503)
    store.refuse('HEAD', 503, 0)
    const answers = await Promise.all(Array.from({ length: 5 }, () => finalize(id)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await expect.poll(listObjects).toEqual([expect.stringMatching(/^[0-9a-f]{2}\//)])
  })

  it('are swept if they were not requested, and kept as long as they may be', async () => {
    const [taken, waiting] = await Promise.all([initialize('taken.txt'), initialize('waiting.txt')])
    for (const { upload_url: address } of [taken, waiting]) await put(address, 'sent')
    await finalize(taken.id)
    await put(taken.upload_url, 'again')
    await server.stop()
    server = await start()
    await expect
      .poll(() => listObjects().filter((name) => name.startsWith('uploads/')))
      .toEqual([`uploads/${waiting.id}`])
    await server.stop()
    server = await start({ unlinkedLifeHours: 0 })
    await expect.poll(async () => (await finalize(waiting.id)).status).toBe(404)
    await server.stop()
    server = await start()
    await expect.poll(listObjects).toEqual([])
  })

  it('go through the service where the bytes are to be linked as they arrive', async () => {
    const { id: run } = await server.createRun()
    const { body } = await ask('POST', `/v2/runs/${run}/attachments`, { name: 'log.txt' })
    expect(body.upload_url.startsWith(`${server.url}/uploads/`)).toBe(true)
    expect(await put(body.upload_url, 'linked')).toBe(200)
    expect((await server.getRun(run)).attachments).toMatchObject([{ name: 'log.txt', size: 6 }])
  })

  it('get nothing of the key that a reporter has', async () => {
    const execution = createExecution(
      { ...FACTS, rootDir: folder },
      {
        url: server.url,
        apiKey: server.apiKey,
        procedureId: server.procedureId,
        spoolDir: path.join(folder, 'spool'),
      },
      { env: {}, print: () => undefined },
    )
    const attachments = [{ name: 'shot.png', bytes: Buffer.alloc(300, 'png'), contentType: 'image/png' }]
    execution.addSuite(createSuite({ tests: [createTest(['draws'])], attachments }))
    expect(await execution.finish()).toMatchObject({ status: 'uploaded' })
    // The store refuses a signed address beside an authorization.
    expect(
      store.requests.filter((request) => request.startsWith(`PUT /direct-${count}/uploads/`)),
    ).not.toEqual([])
    const { data } = (await (await server.send('GET', '/v2/runs')).json()) as { data: { id: string }[] }
    const stored = (await server.getRun(data[0]?.id)).attachments
    const shot = stored.find(({ name }) => name.endsWith('shot.png'))
    expect(sha256(await (await fetch(shot?.download_url ?? '')).text())).toBe(sha256('png'.repeat(100)))
  })

  it('need a bucket, and a life that a store takes', async () => {
    const plain = startTestServer({ data: path.join(folder, 'plain'), directUploads: true }, { env: {} })
    await expect(plain).rejects.toThrow(/--direct-uploads \(RUNLEDGER_DIRECT_UPLOADS\) needs .*--storage/)
    const storage = store.addressOf('other')
    const env = {
      AWS_ACCESS_KEY_ID: 'K',
      AWS_SECRET_ACCESS_KEY: 'S',
      RUNLEDGER_UPLOAD_LIFE_SECONDS: '604801',
    }
    const endless = startTestServer({ data: folder, database, storage, directUploads: true }, { env })
    await expect(endless).rejects.toThrow(/RUNLEDGER_UPLOAD_LIFE_SECONDS must be from 1 to 604800/)
    const odd = startTestServer({ data: folder, database, storage, directUploads: 'yes' }, { env })
    await expect(odd).rejects.toThrow(/must be true or false, but is "yes"/)
  })
})
