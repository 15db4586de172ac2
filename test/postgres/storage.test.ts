import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { S3Bucket } from '../../packages/server/src/storage/blobs/s3-bucket'
import { parseStorageAddress } from '../../packages/server/src/base/config/storage-address'
import { type S3StandIn, startS3StandIn } from '../../packages/server/src/testing/s3-stand-in'
import {
  minimalRun,
  startTestServer,
  type TestServer,
} from '../../packages/server/src/testing/start-test-server'
import { findFreePort } from '../support/recording-proxy'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import { describeWithPostgres } from './with-postgres'

describeWithPostgres('the service with a bucket for bytes', (postgres) => {
  let store: S3StandIn
  let folder: string
  let count = 0
  let bucket: string
  let database: string

  beforeAll(async () => {
    store = await startS3StandIn()
  })

  afterAll(() => store.stop())

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-with-bucket-'))
    count += 1
    bucket = `bucket-${count}`
    database = await postgres().createDatabase(`storage_${count}`)
  })

  afterEach(async () => {
    for (const method of ['GET', 'PUT', 'HEAD', 'DELETE']) store.refuse(method, 503, 0)
    await rm(folder, { recursive: true, force: true })
  })

  const start = (
    change: {
      data?: string
      database?: string
      storage?: string
      projectDir?: string
      secret?: string
      token?: string
    } = {},
  ) => {
    const { secret = store.credentials.secretAccessKey, token, ...flags } = change
    const env = {
      AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_SESSION_TOKEN: token,
    }
    return startTestServer({ data: folder, database, storage: store.addressOf(bucket), ...flags }, { env })
  }

  const listObjects = () =>
    [...store.objects.keys()]
      .filter((name) => name.startsWith(`${bucket}/`))
      .map((name) => name.slice(bucket.length + 1))

  const listFiles = async () =>
    (await readdir(path.join(folder, 'blobs'), { recursive: true })).filter((name) => name !== 'incoming')

  it('has the bytes there, whole and in part, and finds them when it starts again', async () => {
    const first = await start()
    const attachment = await first.upload('log.txt', 'what the test printed')
    const inline = [{ name: 'inline.txt', text: 'in the request' }]
    const { id } = await first.createRun({ inline_attachments: inline, attachments: [attachment] })
    await first.stop()
    const second = await start()
    const { attachments } = await second.getRun(id)
    const read = async (name: string, headers = {}) => {
      const url = attachments.find((each) => each.name === name)?.download_url ?? ''
      const response = await fetch(url, { headers })
      return [response.status, await response.text()]
    }
    expect(await read('inline.txt')).toEqual([200, 'in the request'])
    expect(await read('inline.txt', { range: 'bytes=3-5' })).toEqual([206, 'the'])
    expect(listObjects().filter((name) => name !== 'database.json')).toHaveLength(2)
    expect(await listFiles()).toEqual([])
    await second.stop()
  })

  it('takes bytes out of the store with the run that had them, and at its start what no record names, a day later', async () => {
    const first = await start()
    const { id } = await first.createRun({ inline_attachments: [{ name: 'a.txt', text: 'once' }] })
    expect(listObjects()).toHaveLength(2)
    const deleted = await first.send('DELETE', `/v2/runs?ids=${id}`)
    expect(deleted.status).toBe(200)
    await expect.poll(listObjects).toEqual(['database.json'])
    await first.stop()
    store.objects.set(`${bucket}/aa/${'a'.repeat(64)}`, Buffer.from('left by a kill'))
    store.objects.set(`${bucket}/else.txt`, Buffer.from('of somebody else'))
    const second = await start()
    await expect.poll(listObjects).toEqual(['database.json', 'else.txt'])
    await second.stop()
  })

  it('removes nothing at its start that another process has just stored, and not recorded yet', async () => {
    const first = await start()
    await first.stop()
    const name = `aa/${'a'.repeat(64)}-${randomUUID()}`
    const parts = [parseStorageAddress(store.addressOf(bucket)), store.credentials] as const
    await new S3Bucket(...parts).putNewText(name, 'about to be recorded')
    const second = await start()
    await expect.poll(() => store.requests.at(-1)).toMatch(/^GET .*list-type/)
    await second.stop()
    expect(listObjects()).toContain(name)
    store.advance(25 * 3600)
    const third = await start()
    await expect.poll(listObjects).toEqual(['database.json'])
    await third.stop()
  })

  it('keeps the bytes of an upload when a process removes equal ones late', async () => {
    const [first, second] = await Promise.all([start(), start({ data: path.join(folder, 'second') })])
    const inline_attachments = [{ name: 'log.txt', text: 'equal' }]
    const before = await first.createRun({ inline_attachments })
    const [name = ''] = listObjects().filter((each) => each !== 'database.json')
    const release = store.hold('DELETE')
    const deletion = second.send('DELETE', `/v2/runs?ids=${before.id}`)
    await expect.poll(() => store.requests).toContain(`DELETE /${bucket}/${name}`)
    const after = await first.createRun({ inline_attachments })
    release()
    expect((await deletion).status).toBe(200)
    await expect.poll(listObjects).not.toContain(name)
    const [attachment] = (await first.getRun(after.id)).attachments
    expect(await (await fetch(attachment?.download_url ?? '')).text()).toBe('equal')
    await Promise.all([first.stop(), second.stop()])
  })

  it('acknowledges no upload while the store is away, and takes the same again when it is back', async () => {
    const server = await start()
    const initialized = await server.send('POST', '/v2/attachments', { name: 'log.txt' })
    const { id, upload_url: address } = (await initialized.json()) as { id: string; upload_url: string }
    const put = () => fetch(address, { method: 'PUT', body: 'kept' })
    store.refuse('PUT', 503)
    const refused = await put()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    const inline = { ...minimalRun(server.procedureId), inline_attachments: [{ name: 'b', text: 'b' }] }
    expect((await server.send('POST', '/v1/runs/create', inline)).status).toBe(503)
    expect(await (await server.send('GET', '/v2/runs')).json()).toMatchObject({ data: [] })
    store.refuse('HEAD', 0)
    expect((await server.send('POST', '/v2/attachments', { name: 'c.txt' })).status).toBe(502)
    store.refuse('HEAD', 503, 0)
    store.refuse('PUT', 503, 0)
    expect((await put()).status).toBe(200)
    const { url } = (await (await server.send('POST', `/v2/attachments/${id}/finalize`)).json()) as {
      url: string
    }
    store.refuse('GET', 500)
    const away = await fetch(url)
    expect([away.status, away.headers.get('etag'), away.headers.get('cache-control')]).toEqual([
      503,
      null,
      'no-store',
    ])
    store.refuse('GET', 500, 0)
    expect(await (await fetch(url)).text()).toBe('kept')
    expect(
      server.logged.filter((line) => line.startsWith('The store of attachments cannot be used')),
    ).toHaveLength(1)
    await server.stop()
  })

  it('takes only its own bucket, and none with unknown files, which it would delete', async () => {
    const server = await start()
    await server.upload('log.txt', 'kept')
    await server.stop()
    const data = path.join(folder, 'other')
    const other = await postgres().createDatabase(`storage_other_${count}`)
    await expect(start({ data, database: other })).rejects.toThrow(/belong to another PostgreSQL database/)
    const copy = `storage_copy_${count}`
    const client = await connectToDatabase(postgres().urlOf('postgres'))
    await client.query(`CREATE DATABASE ${copy} TEMPLATE storage_${count}`)
    await client.end()
    const ofCopy = { data, database: postgres().urlOf(copy) }
    const refusal = await start(ofCopy).catch(String)
    expect(refusal).toMatch(/that this is a copy of/)
    // With a copy of the files, and what the message says.
    for (const name of listObjects())
      store.objects.set(`copied/${name}`, store.objects.get(`${bucket}/${name}`) as Buffer)
    store.objects.set(
      'copied/database.json',
      Buffer.from(/put (\{.*\}) into/.exec(String(refusal))?.[1] ?? ''),
    )
    await (await start({ ...ofCopy, storage: store.addressOf('copied') })).stop()
    await expect(start({ storage: store.addressOf('elsewhere') })).rejects.toThrow(/elsewhere than in/)
    expect([...store.objects.keys()].some((name) => name.startsWith('elsewhere/'))).toBe(false)
    await expect(startTestServer({ data: folder, database })).rejects.toThrow(/elsewhere than in/)
    store.objects.set('unknown/log.txt', Buffer.from('of somebody'))
    const unknown = { data, database: other, storage: store.addressOf('unknown') }
    await expect(start(unknown)).rejects.toThrow(/has files, but no database\.json/)
    expect(listObjects()).toHaveLength(2)
  })

  it('serves one database by several processes, whose uploads and deletions of the same bytes do not cross', async () => {
    const [first, second] = await Promise.all([start(), start({ data: path.join(folder, 'second') })])
    const names = ['a.txt', 'b.txt', 'c.txt']
    const inline_attachments = names.map((name) => ({ name, text: `the same ${name}` }))
    for (let round = 0; round < 15; round += 1) {
      const before = await first.createRun({ inline_attachments })
      const [after] = await Promise.all([
        first.createRun({ inline_attachments: inline_attachments.toReversed() }),
        second.send('DELETE', `/v2/runs?ids=${before.id}`),
      ])
      const { attachments } = await second.getRun(after.id)
      for (const { download_url: url, name } of attachments)
        expect(await (await fetch(url ?? '')).text()).toBe(`the same ${name}`)
      expect((await second.send('DELETE', `/v2/runs?ids=${after.id}`)).status).toBe(200)
    }
    await expect.poll(listObjects).toEqual(['database.json'])
    await Promise.all([first.stop(), second.stop()])
    expect([first.logged, second.logged]).toEqual([[], []])
  })

  it('counts the runs of a month over all processes, to the unit', async () => {
    const servers = await Promise.all(['a', 'b', 'c'].map((name) => start({ data: path.join(folder, name) })))
    const [first] = servers as [TestServer, ...TestServer[]]
    await first.send('PATCH', '/v2/settings', { 'limits.runs_per_month': 20 })
    const create = async (server: TestServer, index: number): Promise<number> => {
      const unit_under_test = { serial_number: `UNIT-${index}`, part_number: 'P' }
      const body = { ...minimalRun(server.procedureId), unit_under_test }
      for (;;) {
        const { status } = await server.send('POST', '/v1/runs/create', body)
        if (status !== 503) return status
      }
    }
    const each = Array.from({ length: 36 }, (_, index) => create(servers[index % 3] as TestServer, index))
    const statuses = await Promise.all(each)
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
    expect(statuses.filter((status) => status === 403)).toHaveLength(16)
    await Promise.all(servers.map((server) => server.stop()))
  })

  it('takes a new bucket once when several processes start at once', async () => {
    const folders = ['a', 'b', 'c', 'd'].map((name) => path.join(folder, name))
    // Of one image, so that all would make the same procedure.
    const project = { projectDir: folder }
    const servers = await Promise.all(folders.map((data) => start({ data, ...project })))
    await Promise.all(
      servers.map((server) => server.createRun({ inline_attachments: [{ name: 'a', text: 'a' }] })),
    )
    await Promise.all(servers.map((server) => server.stop()))
    const again = await start()
    expect(listObjects()).toHaveLength(2)
    await again.stop()
    const client = await connectToDatabase(database)
    const { rows } = await client.query(
      'SELECT (SELECT count(*) FROM users)::int AS users, (SELECT count(*) FROM procedures)::int AS procedures',
    )
    await client.end()
    expect(rows).toEqual([{ users: 1, procedures: 1 }])
  })

  it('leaves a folder with files as it is', async () => {
    const server = await startTestServer({ data: folder, database })
    await server.upload('log.txt', 'kept')
    await server.stop()
    await expect(start()).rejects.toThrow(/elsewhere than in/)
    expect(listObjects()).toEqual([])
  })

  it('says at its start what is wrong with the store, without the keys', async () => {
    const wrong = await start({ secret: 'hunter2' }).catch((error: unknown) => error as Error)
    expect(String(wrong)).toMatch(/bucket .* cannot be used: .*403 SignatureDoesNotMatch.*--storage/)
    expect(String(wrong)).not.toMatch(/hunter2|TESTKEY/)
    const gone = await start({
      storage: `s3://runs?endpoint=http://127.0.0.1:${await findFreePort()}`,
    }).catch((error: unknown) => error)
    expect(String(gone)).toMatch(/cannot be used: .*ECONNREFUSED/)
    await expect(start({ token: 'hunter2\nhunter3' })).rejects.toThrow(/^(?!.*hunter).*without blanks/s)
    store.objects.set(`${bucket}/database.json`, Buffer.from('oops'))
    await expect(start()).rejects.toThrow(/^the bucket .* cannot be used: .*oops/)
    await expect(start({ secret: '' })).rejects.toThrow(/AWS_SECRET_ACCESS_KEY/)
    await expect(start({ storage: 's3://runs?secret=hunter2' })).rejects.toThrow(/^(?!.*hunter2).*--storage/)
  })
})
