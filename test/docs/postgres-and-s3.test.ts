import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, test } from 'vitest'
import { startS3StandIn, type S3StandIn } from '../../packages/server/src/testing/s3-stand-in'
import { minimalRun } from '../../packages/server/src/testing/start-test-server'
import {
  findInstructions,
  readDeployFile,
  readDockerfile,
  readVariables,
  resolveVariables,
} from '../deploy/deploy-files'
import { describeWithPostgres } from '../postgres/with-postgres'
import { findPostgres } from '../support/postgres'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'
import { findBlock, readBlocks, replaceAll } from './read-blocks'

// docs/postgres-and-s3.md, with its names and addresses replaced by those of this test.

const DOCUMENT = 'docs/postgres-and-s3.md'
const commands = readBlocks(DOCUMENT, 'sh')
const [statements = ''] = readBlocks(DOCUMENT, 'sql')
const ADDRESS = 'postgres://runledger@127.0.0.1:5432'
const BUCKET = 'runledger'
const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

test('the image is built from the file that there is', () => {
  const [, file = ''] = /docker build --file (\S+)/.exec(findBlock(commands, 'docker build')) ?? []
  expect(path.join(REPOSITORY, file)).toBe(path.join(REPOSITORY, 'deploy/Dockerfile'))
  expect(findInstructions(readDockerfile().last, 'ENTRYPOINT')).toEqual(['["runledger"]'])
})

test('the service knows the variables of the unit, and they lead to the database and the bucket', () => {
  const variables = readVariables(readDeployFile('systemd/runledger.env'))
  const secrets = Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === '' ? [[name, 'x']] : [])),
  )
  expect(Object.keys(secrets)).toEqual(['PGPASSWORD', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
  const { config, unknown } = resolveVariables({ ...variables, ...secrets })
  expect(unknown).toEqual([])
  expect(config.storage?.address.bucketUrl).toBe('https://s3.example.com/runledger/')
})

test('systemd takes the unit, as an instance', { tags: ['systemd-analyze'] }, async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-unit-'))
  const file = path.join(folder, 'runledger@7357.service')
  const unit = replaceAll(readDeployFile('systemd/runledger@.service'), {
    '/usr/local/bin/runledger': process.execPath,
    'User=runledger': 'User=root',
  })
  await writeFile(file, unit)
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  await rm(folder, { recursive: true, force: true })
  expect(stderr.split('\n').filter((line) => line.includes(folder))).toEqual([])
  expect(status).toBe(0)
})

test(
  'Node starts with the system calls that the unit lets it have',
  { tags: ['systemd-analyze', 'strace'] },
  async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-calls-'))
    const log = path.join(folder, 'calls')
    const started = spawnSync('strace', ['-f', '-qq', '-o', log, process.execPath, CLI, '--version'])
    const used = [...(await readFile(log, 'utf8')).matchAll(/^\d+ +(\w+)\(/gm)].map(([, call = '']) => call)
    await rm(folder, { recursive: true, force: true })
    expect([started.status, used.length > 100]).toEqual([0, true])
    const [, groups = ''] =
      /^SystemCallFilter=(.*)$/m.exec(readDeployFile('systemd/runledger@.service')) ?? []
    const allowed = new Set(groups.split(' ').flatMap(listCalls))
    expect([...new Set(used)].filter((call) => !allowed.has(call))).toEqual([])
  },
)

/** The system calls of a group of systemd, and of the groups in it. */
function listCalls(name: string): string[] {
  if (!name.startsWith('@')) return [name]
  const { stdout } = spawnSync('systemd-analyze', ['syscall-filter', name], { encoding: 'utf8' })
  return [...stdout.matchAll(/^ +([@\w-]+)$/gm)].flatMap(([, member = '']) => listCalls(member))
}

describeWithPostgres('the guide to PostgreSQL and S3', (postgres) => {
  let folder: string
  let store: S3StandIn
  /** Where the guide has 127.0.0.1:5432, and its password. */
  let address: string
  const services: Service[] = []
  const given = { ...process.env }

  /** Runs a command of PostgreSQL as the guide has it. */
  const run = (line: string) => {
    const bin = findPostgres() as string
    const command = `set -o pipefail; PATH='${bin}':$PATH; ${line}`
    return promisify(execFile)('bash', ['-euc', command], { cwd: folder })
  }

  const start = async (name: string, database: string, bucket: string): Promise<Service> => {
    const own = path.join(folder, name)
    await mkdir(own)
    process.env.RUNLEDGER_DATABASE = `${address}/${database}`
    process.env.RUNLEDGER_STORAGE = store.addressOf(bucket)
    const service = await startService({ folder: own })
    services.push(service)
    return service
  }

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-guide-'))
    await mkdir(path.join(folder, 'backup'))
    store = await startS3StandIn()
    const { accessKeyId, secretAccessKey } = store.credentials
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey })
    // The server's own user has the name that the guide gives to the role.
    const admin = new URL(postgres().urlOf('postgres'))
    await run(`psql -qc "CREATE ROLE admin SUPERUSER LOGIN PASSWORD 'of-admin'" ${admin.href}`)
    const asAdmin = `postgres://admin:of-admin@${admin.host}/postgres`
    await writeFile(path.join(folder, 'roles.sql'), replaceAll(statements, { runledger: 'operator' }))
    await run(`psql -q --set ON_ERROR_STOP=1 --file roles.sql ${asAdmin}`)
    address = `postgres://operator:${encodeURIComponent('a long one')}@${admin.host}`
  })

  afterAll(async () => {
    process.env = given
    for (const service of services) await service.kill()
    await store.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('two processes serve one record, each with a key that works for both', async () => {
    const [one, two] = [await start('one', 'operator', BUCKET), await start('two', 'operator', BUCKET)]
    const id = await createRun(one)
    expect(one.apiKey).not.toBe(two.apiKey)
    expect((await two.readRun(id)).id).toBe(id)
  })

  it('a restored backup has every run with its files, and takes no bucket of others', async () => {
    const [one] = services as [Service]
    const bytes = randomBytes(10_000)
    const id = await createRun(one, bytes)
    const backup = findBlock(commands, 'pg_dump').trim().split('\n')
    expect(backup.map((line) => line.split(' ')[0])).toEqual(['rclone', 'pg_dump', 'rclone'])
    expect(new Set([backup[0], backup[2]])).toEqual(new Set([`rclone copy store:${BUCKET} backup/files`]))
    const copied = new Map<string, Buffer>()
    const copy = () => {
      for (const [name, object] of store.objects)
        if (name.startsWith(`${BUCKET}/`)) copied.set(name.slice(BUCKET.length), object)
    }
    copy()
    await run(replaceAll(backup[1] as string, { [`${ADDRESS}/runledger`]: `${address}/operator` }))
    const late = await createRun(one, randomBytes(10))
    copy()
    for (const service of services.splice(0)) await service.kill()

    const [create = '', restore = '', upload = ''] = findBlock(commands, 'pg_restore').trim().split('\n')
    const admin = `postgres://admin:of-admin@${new URL(address).host}/postgres`
    await run(
      replaceAll(create, {
        'postgres://postgres@127.0.0.1:5432/postgres': admin,
        '--owner=runledger': '--owner=operator',
      }),
    )
    await run(replaceAll(restore, { [ADDRESS]: address }))
    expect(upload).toBe('rclone copy backup/files store:restored')
    for (const [name, object] of copied) store.objects.set(`restored${name}`, object)

    const refusal = await start('restored', 'restored', 'restored').catch(String)
    const [owner] = /\{"postgresql".*\}/.exec(String(refusal)) ?? []
    const [, written = ''] = /echo '(.*)'/.exec(findBlock(commands, 'database.json')) ?? []
    expect(Object.keys(JSON.parse(owner ?? '{}') as object)).toEqual(
      Object.keys(JSON.parse(written) as object),
    )
    store.objects.set('restored/database.json', Buffer.from(owner as string))
    await rm(path.join(folder, 'restored'), { recursive: true })

    const restored = await start('restored', 'restored', 'restored')
    expect((await restored.readAllRuns()).map((each) => each.id)).toContain(id)
    expect((await restored.download(await restored.readRun(id), 'film.bin')).equals(bytes)).toBe(true)
    expect((await restored.get(`/v2/runs/${late}`)).status).toBe(404)
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'check', '--bytes', '--json'], {
      cwd: path.join(folder, 'restored'),
    })
    // What came after the dump has no record there.
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, attachments: 1, leftover_files: 1 })
  })

  it('keys of processes that are gone are listed and deleted', async () => {
    const [restored] = services as [Service]
    const lines = findBlock(commands, 'listKeys').trim().split('\n')
    const command = async (line = '') => {
      const args = line.split(' ').slice(1)
      const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], {
        cwd: path.join(folder, 'restored'),
      })
      return stdout
    }
    const { data } = JSON.parse(await command(lines[0])) as { data: { id: string; name: string }[] }
    const own = data.filter(({ name }) => name === 'Local credentials file')
    expect(own.length).toBeGreaterThan(2)
    const gone = await readFile(path.join(folder, 'one/.runledger/credentials.json'), 'utf8')
    const { api_key: key } = JSON.parse(gone) as { api_key: string }
    const ask = async () =>
      (await fetch(`${restored.url}/v2/runs`, { headers: { authorization: `Bearer ${key}` } })).status
    expect(await ask()).toBe(200)
    // The newest is that of the process that is asked.
    for (const { id } of own.slice(1)) await command(replaceAll(lines[1] ?? '', { KEY_ID: id }))
    expect(await ask()).toBe(401)
  })
})

async function createRun(service: Service, bytes?: Buffer): Promise<string> {
  const post = async (pathname: string, body: unknown, method: 'POST' | 'PATCH' = 'POST') => {
    const response = await fetch(service.url + pathname, {
      method,
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
    return (await response.json()) as Record<string, string>
  }
  const { id = '' } = await post('/v1/runs/create', minimalRun(service.procedureId))
  if (!bytes) return id
  const attachment = await post('/v2/attachments', { name: 'film.bin' })
  await fetch(attachment['upload_url'] ?? '', { method: 'PUT', body: new Uint8Array(bytes) })
  await post(`/v2/runs/${id}`, { attachments: [attachment['id']] }, 'PATCH')
  return id
}
