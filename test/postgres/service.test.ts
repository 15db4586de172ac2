import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeOpenError } from '../../packages/server/src/open-context'
import { HttpError, StartError } from '../../packages/server/src/base/errors'
import { minimalRun, startTestServer } from '../../packages/server/src/testing/start-test-server'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import { PASSWORD } from '../support/postgres'
import { REPOSITORY } from '../support/repository'
import { describeWithPostgres, startLink, whileGone } from './with-postgres'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

interface Ended {
  code: number
  text: string
}

/** The command until it ends, or until it has printed what it is waited for. */
function runCli(
  args: string[],
  { env = {}, until }: { env?: NodeJS.ProcessEnv; until?: RegExp } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    let text = ''
    const child = execFile(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } }, () =>
      resolve({ code: child.exitCode ?? -1, text }),
    )
    const read = (chunk: string) => {
      text += chunk
      if (until?.test(text)) child.kill('SIGTERM')
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
  })
}

async function countBlobs(url: string): Promise<number> {
  const client = await connectToDatabase(url)
  const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM blobs')
  await client.end()
  return Number(rows[0]?.count)
}

describeWithPostgres('the service with a database of PostgreSQL', (postgres) => {
  let folder: string
  let databases = 0

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-with-postgres-'))
  })

  afterEach(() => rm(folder, { recursive: true, force: true }))

  const createDatabase = () => postgres().createDatabase(`service_${(databases += 1)}`)

  it('does not start with a database that is down, denies access or does not exist, and says which', async () => {
    const database = await createDatabase()
    const refusal = async (what: Partial<Pick<URL, 'password' | 'pathname'>> = {}) => {
      const url = Object.assign(new URL(database), what).href
      const error = await startTestServer({ data: folder, database: url }).catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(StartError)
      return (error as StartError).message
    }
    const place = /^The PostgreSQL database "\w+" at [\w.]+:\d+ cannot be/
    const messages = [await refusal({ password: 'wrong' }), await refusal({ pathname: '/none_such' })]
    await whileGone(postgres(), async () => void messages.push(await refusal()))
    expect(messages).toEqual([
      expect.stringContaining('cannot be used: it refuses the user or the password'),
      expect.stringContaining('"none_such"'),
      expect.stringMatching(/cannot be reached: .*ECONNREFUSED.* ends with exit code 1/),
    ])
    expect(messages[1]).toContain('it does not exist. Create it')
    for (const message of messages) {
      expect(message).toMatch(place)
      expect(message).not.toMatch(/data folder|its user owns/)
      expect(message).not.toContain(PASSWORD)
    }
  })

  it('reports a database that goes away while it starts, and not its data folder', async () => {
    const database = await createDatabase()
    const gone = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const error = new HttpError('SERVICE_UNAVAILABLE', 'Send the request again in a moment.', { cause: gone })
    expect(await describeOpenError(error, { dataDir: folder, database })).toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/^The PostgreSQL database "\w+" at .* cannot be reached: /) as string,
    })
  })

  it('has its records there, and finds them when it starts again', async () => {
    const flags = { data: folder, database: await createDatabase() }
    const first = await startTestServer(flags)
    const { id } = await first.createRun()
    await first.stop()
    const second = await startTestServer(flags)
    expect((await second.getRun(id)).unit.serial_number).toBe('UNIT-1')
    expect(second.apiKey).toBe(first.apiKey)
    expect(await (await second.send('GET', '/metrics')).text()).toMatch(
      /^runledger_database_bytes [1-9]\d{5}/m,
    )
    await second.stop()
    expect(await readdir(folder)).not.toContain('runledger.db')
  })

  it('answers 503 while the database is gone, logs that once, and goes on when it is back', async () => {
    const server = await startTestServer({ database: await createDatabase() })
    const { id } = await server.createRun()
    await whileGone(postgres(), async () => {
      for (const address of ['/readyz', '/v2/runs', `/v2/runs/${id}`]) {
        const response = await server.send('GET', address)
        expect([address, response.status, response.headers.get('retry-after')]).toEqual([address, 503, '5'])
      }
      expect((await server.send('POST', '/v2/parts', { number: 'P', name: 'P' })).status).toBe(503)
      expect((await server.send('GET', '/healthz')).status).toBe(200)
    })
    expect(server.logged.filter((line) => line.startsWith('The database cannot be reached'))).toHaveLength(1)
    expect((await server.getRun(id)).id).toBe(id)
    await server.createRun()
    await server.stop()
  })

  it('keeps the bytes of what may be stored when its connection breaks at the commit', async () => {
    const url = await createDatabase()
    const link = await startLink(url)
    const server = await startTestServer({ database: link.url })
    const initialized = await server.send('POST', '/v2/attachments', { name: 'log.txt' })
    const { upload_url: address } = (await initialized.json()) as { upload_url: string }
    const ofUpload = link.cutCommitOf('insert into "blobs"')
    const answer = await fetch(address, { method: 'PUT', body: 'kept' })
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('Look whether')])
    // Otherwise both transactions overlap, and PostgreSQL may refuse one of them.
    expect(await ofUpload).toContain('COMMIT')
    const body = {
      ...minimalRun(server.procedureId),
      inline_attachments: [{ name: 'inline.txt', text: 'kept too' }],
    }
    const send = () => server.send('POST', '/v1/runs/create', body, { 'Idempotency-Key': 'once' })
    const ofRun = link.cutCommitOf('insert into "blobs"')
    expect((await send()).status).toBe(500)
    expect(await ofRun).toContain('COMMIT')
    expect(await countBlobs(url)).toBe(2)
    const files = await readdir(path.join(server.dataDir, 'blobs'), { recursive: true })
    expect(files.filter((name) => /[0-9a-f]{64}-/.test(name))).toHaveLength(2)
    const { id } = (await (await send()).json()) as { id: string }
    const [attachment] = (await server.getRun(id)).attachments
    expect(await (await fetch(attachment?.download_url ?? '')).text()).toBe('kept too')
    await server.stop()
    link.stop()
  })

  it('never prints the password', async () => {
    const url = await createDatabase()
    const data = ['--data', path.join(folder, 'data'), '--port', '0']
    const started = await runCli(['serve', ...data, '--log-level', 'debug'], {
      env: { RUNLEDGER_DATABASE: url },
      until: /Stop with/,
    })
    expect(started.text).toContain('Records are in    PostgreSQL')
    const wrong = await runCli(['serve', ...data, '--database', url.replace(PASSWORD, `${PASSWORD}-wrong`)])
    expect(wrong).toMatchObject({
      code: 1,
      text: expect.stringContaining('refuses the user or the password') as string,
    })
    const noPort = await runCli(['serve', ...data, '--database', url.replace(/:\d+\//, ':1/')])
    expect(noPort).toMatchObject({
      code: 1,
      text: expect.stringContaining('ECONNREFUSED 127.0.0.1:1') as string,
    })
    const noHost = await runCli(['serve', ...data, '--database', url.replace('127.0.0.1', '%zz')])
    expect(noHost.code).toBe(1)
    const other = await runCli(['serve', ...data, '--database', url.replace('postgres:', 'mysql:')])
    expect(other).toMatchObject({ code: 2, text: expect.stringContaining('RUNLEDGER_DATABASE') as string })
    const cut = await runCli(['serve', ...data, '--database', url.replace(PASSWORD, `12/x?${PASSWORD}`)])
    expect(cut).toMatchObject({ code: 2, text: expect.stringContaining('%2F') as string })
    for (const { text } of [started, wrong, noPort, noHost, other, cut]) expect(text).not.toContain(PASSWORD)
    const files = await readdir(folder, { recursive: true, withFileTypes: true })
    for (const file of files.filter((one) => one.isFile()))
      expect(await readFile(path.join(file.parentPath, file.name), 'utf8')).not.toContain(PASSWORD)
  })

  it('takes no folder whose files go with other records: it would delete them', async () => {
    const url = await createDatabase()
    const server = await startTestServer({ data: folder, database: url })
    await server.upload('log.txt', 'kept')
    await server.stop()
    await expect(startTestServer({ data: folder, database: await createDatabase() })).rejects.toThrow(
      /another PostgreSQL database/,
    )
    const withoutDatabase = await runCli(['serve', '--data', folder, '--port', '0'], {
      env: { RUNLEDGER_DATABASE: '' },
    })
    expect(withoutDatabase).toMatchObject({ code: 1, text: expect.stringContaining('--database') as string })
    const blobs = await readdir(path.join(folder, 'blobs'), { recursive: true })
    expect(blobs.some((name) => /[0-9a-f]{64}-/.test(name))).toBe(true)
  })

  it('takes only its own folder, and none with unknown files', async () => {
    const url = await createDatabase()
    const own = path.join(folder, 'own')
    const server = await startTestServer({ data: own, database: url })
    await server.upload('log.txt', 'kept')
    await server.stop()
    const empty = path.join(folder, 'empty')
    await mkdir(empty)
    await expect(startTestServer({ data: empty, database: url })).rejects.toThrow(/elsewhere than in/)
    expect(await readdir(empty)).not.toContain('database.json')
    const note = path.join(own, 'database.json')
    const text = await readFile(note, 'utf8')
    await rm(note)
    await expect(startTestServer({ data: own, database: url })).rejects.toThrow(/has files in blobs/)
    const unknown = await runCli(['serve', '--data', own, '--port', '0'], { env: { RUNLEDGER_DATABASE: '' } })
    expect(unknown).toMatchObject({ code: 1, text: expect.stringContaining('has files in blobs') as string })
    await writeFile(note, text)
    await (await startTestServer({ data: own, database: url })).stop()
  })

  it('takes no folder that has a database in it', async () => {
    const started = await runCli(['serve', '--data', folder, '--port', '0'], {
      env: { RUNLEDGER_DATABASE: '' },
      until: /Stop with/,
    })
    expect(started.text).toContain('Stop with')
    await expect(startTestServer({ data: folder, database: await createDatabase() })).rejects.toThrow(
      /has its records in runledger\.db/,
    )
  })

  it('has its records copied by tools of PostgreSQL: commands that read SQLite say so', async () => {
    const server = await startTestServer({ data: folder, database: await createDatabase() })
    await server.stop()
    for (const args of [['check'], ['backup', path.join(folder, 'copy')]]) {
      const ended = await runCli([...args, '--data', folder])
      expect(ended).toMatchObject({ code: 1, text: expect.stringContaining('pg_dump') as string })
    }
  })
})
