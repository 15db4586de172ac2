import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { main } from '../../packages/cli/src/main'
import { type S3StandIn, startS3StandIn } from '../../packages/server/src/testing/s3-stand-in'
import { startTestServer } from '../../packages/server/src/testing/start-test-server'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import { describeWithPostgres } from './with-postgres'

const BUCKET = 'checked'

describeWithPostgres('runledger check of a PostgreSQL and a bucket', (postgres) => {
  let store: S3StandIn
  let folder: string
  let database: string
  let env: NodeJS.ProcessEnv

  beforeAll(async () => {
    store = await startS3StandIn()
    database = await postgres().createDatabase('checked')
    folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-checked-'))
    env = {
      RUNLEDGER_DATABASE: database,
      RUNLEDGER_STORAGE: store.addressOf(BUCKET),
      AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
    }
  })

  afterAll(async () => {
    await store.stop()
    await rm(folder, { recursive: true, force: true })
  })

  let objects: Map<string, Buffer>
  beforeEach(async () => {
    if (store.objects.size === 0) await record()
    objects = new Map(store.objects)
  })
  afterEach(() => {
    store.objects.clear()
    for (const [name, bytes] of objects) store.objects.set(name, bytes)
  })

  async function record(): Promise<void> {
    const storage = store.addressOf(BUCKET)
    const server = await startTestServer({ data: folder, database, storage }, { env })
    const attachments = [await server.upload('log.txt', 'what it printed')]
    const error = { message: 'expected 1 to be 2' }
    const step = { name: 'a', step_passed: false, started_at: '2026-11-20T09:30:00Z', duration: 'PT1S' }
    await server.createRun(
      { run_passed: false, attachments, steps: [{ ...step, errors: [error] }] },
      { 'idempotency-key': 'k' },
    )
    await server.stop()
  }

  async function check(...flags: string[]): Promise<{ code: number; text: string }> {
    let text = ''
    const print = (line: string) => void (text += `${line}\n`)
    const output = { out: print, err: print }
    const code = await main(['check', '--data', folder, ...flags], output, { env, cwd: folder })
    return { code, text }
  }

  async function execute(url: string, statement: string): Promise<void> {
    const client = await connectToDatabase(url)
    await client.query(statement)
    await client.end()
  }

  const nameFile = () => [...store.objects.keys()].find((name) => !name.endsWith('.json')) as string

  it('says how much there is, and that nothing is wrong', async () => {
    const found = await check('--bytes')
    expect(found).toMatchObject({
      code: 0,
      text: expect.stringMatching(/1 run, 1 attachment \(15 B\)\nNo problems/),
    })
    expect(JSON.parse((await check('--json')).text)).toMatchObject({ ok: true, blobs: 1, leftover_files: 0 })
  })

  it('finds files that are gone, cut short or damaged, and those that no row names', async () => {
    const name = nameFile()
    store.objects.set(`${BUCKET}/ab/${'ab'.repeat(32)}-left`, Buffer.from('left'))
    expect(await check()).toMatchObject({
      code: 0,
      text: expect.stringContaining('1 file without a row (4 B)'),
    })
    store.objects.set(name, Buffer.from('what it PRINTED'))
    expect(await check()).toMatchObject({ code: 0 })
    expect(await check('--bytes')).toMatchObject({ code: 1, text: expect.stringContaining('are damaged') })
    store.objects.set(name, Buffer.from('what'))
    expect(await check()).toMatchObject({ code: 1, text: expect.stringContaining('4 bytes instead of 15') })
    store.objects.delete(name)
    expect(await check()).toMatchObject({ code: 1, text: expect.stringContaining('there is no file') })
  })

  it.each(['HEAD', 'GET'])('says that the store is away, and nothing of files: %s', async (method) => {
    const count = store.requests.length
    const isAsked = () => store.requests.slice(count).some((request) => request.startsWith('HEAD'))
    if (method === 'HEAD') store.refuse(method, 503)
    const release = store.hold('HEAD')
    const checking = check('--bytes')
    // Then the bucket has said which database it goes with.
    await expect.poll(isAsked).toBe(true)
    store.refuse(method, 503)
    release()
    const found = await checking
    store.refuse(method, 503, 0)
    expect(found.code).toBe(1)
    expect(found.text).toMatch(/^runledger: the bucket .* cannot be used: .*503.*--storage/)
  })

  it('refuses places that have no files of the database', async () => {
    const elsewhere = expect.stringContaining('elsewhere than in') as string
    env['RUNLEDGER_STORAGE'] = ''
    const inFolder = await check()
    env['RUNLEDGER_STORAGE'] = store.addressOf('another')
    const inAnother = await check()
    env['RUNLEDGER_STORAGE'] = store.addressOf(BUCKET)
    expect([inFolder, inAnother]).toEqual([
      { code: 1, text: elsewhere },
      { code: 1, text: elsewhere },
    ])
  })

  it.each([
    [`UPDATE blobs SET reference_count = reference_count + 1`, /counted for 2 attachments, but 1/],
    [`UPDATE idempotency_keys SET answer = '{"id":"another"}'`, /answers another run/],
    [`UPDATE phase_errors SET phase_id = phase_id + 1`, /phase_errors of a phase that is not there/],
    [`UPDATE phases SET definition_id = -1`, /whose name is not there/],
  ])('finds rows that contradict each other: %s', async (statement, message) => {
    const copy = `checked_${Math.random().toString(36).slice(2)}`
    await execute(postgres().urlOf('postgres'), `CREATE DATABASE ${copy} TEMPLATE checked`)
    await execute(postgres().urlOf(copy), statement)
    const found = await check('--database', postgres().urlOf(copy))
    expect(found).toMatchObject({ code: 1, text: expect.stringMatching(message) })
  })

  it('refuses a folder that has records of its own, where both are named', async () => {
    await writeFile(path.join(folder, 'runledger.db'), '')
    const found = await check()
    await rm(path.join(folder, 'runledger.db'))
    expect(found).toMatchObject({ code: 1, text: expect.stringContaining('has its records in runledger.db') })
  })

  it('names the database that it cannot reach, without its password', async () => {
    const found = await check('--database', 'postgres://somebody:hunter2@127.0.0.1:9/none')
    expect(found).toMatchObject({
      code: 1,
      text: expect.stringMatching(/"none" at 127\.0\.0\.1:9 cannot be reached/),
    })
    expect(found.text).not.toContain('hunter2')
  })
})
