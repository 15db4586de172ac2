import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openFolderBlobStore } from '../storage/blobs/folder-blob-store'
import { loadSqlite } from '../storage/database/sqlite/sqlite-driver'
import { findBlobFile } from '../testing/find-blob-file'
import { startTestServer, type TestServer } from '../testing/start-test-server'
import { checkData } from './check-data'

let data: string
let server: TestServer

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'runledger-check-'))
  server = await startTestServer({ data })
})

afterEach(async () => {
  await server.stop().catch(() => undefined)
  await rm(data, { recursive: true, force: true })
})

const STEP = { name: 'a', step_passed: true, started_at: '2026-11-20T09:00:00Z', duration: 'PT1S' }
const MEASURED = { ...STEP, name: 'b', measurement_value: 5, measurement_unit: 'V', limit_low: 1 }

const FAILED = {
  ...STEP,
  name: 'c',
  parent: 0,
  location: { file: 'c.test.ts' },
  owner: '@team',
  tags: ['@slow'],
  error: { message: 'boom' },
  attempts: [
    { outcome: 'FAIL', started_at: STEP.started_at, duration: 'PT1S', errors: [{ message: 'boom' }] },
    { outcome: 'FAIL', started_at: STEP.started_at, duration: 'PT1S' },
  ],
}

async function createRun(): Promise<string> {
  const { id } = await server.createRun({ steps: [STEP, MEASURED, FAILED] }, { 'idempotency-key': 'once' })
  return id as string
}

async function link(runId: string, bytes: string): Promise<string> {
  const id = await server.upload(`${bytes}.txt`, bytes)
  const linked = await server.send('PATCH', `/v2/runs/${runId}`, { attachments: [id] })
  expect(linked.status).toBe(200)
  return id
}

function pathOf(bytes: string): string {
  return findBlobFile(data, bytes) as string
}

/** Damages the database as no service would. */
async function damage(sql: string): Promise<void> {
  await server.running.close()
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(join(data, 'runledger.db'))
  connection.exec(`PRAGMA foreign_keys=OFF; ${sql}`)
  connection.close()
}

it('finds nothing wrong with a folder that a service is using, and counts what is in it', async () => {
  const run = await createRun()
  await link(run, 'first')
  await server.upload('same.txt', 'first')
  await server.upload('unlinked.txt', 'second')
  expect(await checkData(data, { bytes: true })).toEqual({
    ok: true,
    runs: 1,
    attachments: 3,
    blobs: 2,
    bytes: 11,
    problems: [],
    problem_count: 0,
    leftover_files: 0,
    leftover_bytes: 0,
  })
})

it('finds nothing wrong while runs and attachments come and go', async () => {
  const over = new AbortController()
  const work = async (worker: number) => {
    for (let count = 0; !over.signal.aborted; count += 1) {
      const { id } = await server.createRun({ unit_under_test: { serial_number: `U${worker}` } })
      await link(id as string, `bytes ${worker} ${count % 3}`)
      await server.send('DELETE', `/v2/runs?ids=${id}`)
    }
  }
  const working = Promise.all([1, 2, 3].map(work))
  for (let count = 0; count < 10; count += 1)
    expect(await checkData(data, { bytes: true })).toMatchObject({ problems: [] })
  over.abort()
  await working
  expect(await checkData(data)).toMatchObject({ ok: true, runs: 0, leftover_files: 0 })
})

it('finds bytes that are lost whose name has no digest: a bucket has such ones, and a migration leaves it to them', async () => {
  await link(await createRun(), 'lost')
  await damage(`UPDATE blobs SET object_name = '0d/0d1e2f3a-4b5c-4d6e-8f70-123456789abc'`)
  expect(await checkData(data)).toMatchObject({ ok: false, problem_count: 1 })
})

it('names bytes whose path is outside of the folder, and neither reads nor deletes them', async () => {
  await link(await createRun(), 'outside')
  const secret = join(data, '..', `${basename(data)}-secret`)
  await writeFile(secret, 'outside')
  await damage(`UPDATE blobs SET object_name = '../../${basename(secret)}'`)
  expect((await checkData(data, { bytes: true })).problems).toMatchObject([
    { kind: 'bytes', message: expect.stringContaining('there is no file') as unknown },
  ])
  const store = await openFolderBlobStore(join(data, 'blobs'))
  const name = `../../${basename(secret)}`
  await expect(store.read(name)).rejects.toThrow('a path that no stored bytes can have')
  await store.remove(name)
  expect(await readFile(secret, 'utf8')).toBe('outside')
  await rm(secret)
})

it('finds bytes that are lost, too short, or altered where it is told to read them', async () => {
  const run = await createRun()
  for (const bytes of ['lost', 'short', 'altered']) await link(run, bytes)
  await rm(pathOf('lost'))
  await truncate(pathOf('short'), 2)
  await writeFile(pathOf('altered'), 'deretla')
  const found = await checkData(data)
  expect(found.ok).toBe(false)
  expect(found.problems.map(({ message }) => message.replace(/[0-9a-f]{64}/, '…')).toSorted()).toEqual([
    'bytes … are on record, but there is no file',
    'bytes … have 2 bytes instead of 5',
  ])
  expect(await checkData(data, { bytes: true })).toMatchObject({ problem_count: 3 })
})

it('tells files that no row names, which are no problem', async () => {
  await server.running.close() // its first clean-up would remove them
  const folder = join(data, 'blobs/aa')
  await mkdir(folder)
  for (const file of ['a'.repeat(64), `${'a'.repeat(64)}-0123456789abcdef-1`])
    await writeFile(join(folder, file), 'left over')
  expect(await checkData(data)).toMatchObject({ ok: true, leftover_files: 2, leftover_bytes: 18 })
})

it.each([
  [
    'a count of references that is wrong',
    'UPDATE blobs SET reference_count = 3',
    'attachment',
    /are counted for 3/,
  ],
  [
    'bytes that nobody has',
    "INSERT INTO blobs VALUES ('00', 1, 1, '00/00')",
    'attachment',
    /are counted for 1 .*but 0/,
  ],
  [
    'a linked attachment without bytes',
    'UPDATE attachments SET sha256 = NULL',
    'attachment',
    /never received/,
  ],
  ['steps of a run that is gone', 'DELETE FROM runs', 'database', /a row of phases names a row of runs/],
  [
    'a measurement without its step',
    'UPDATE measurements SET phase_id = 1',
    'run',
    /has measurements of a phase/,
  ],
  ['an error without its step', 'UPDATE phase_errors SET phase_id = 1', 'run', /has phase_errors of a phase/],
  ['an attempt without its step', 'UPDATE phase_attempts SET phase_id = 1', 'run', /has phase_attempts of/],
  ['a tag without its text', 'UPDATE phase_tags SET tag_id = 1', 'run', /whose tag_id is not there/],
  ['a file without its text', 'UPDATE phases SET file_id = 1', 'run', /phases whose file_id is not there/],
  ['a step of no other', 'UPDATE phases SET parent_index = 9', 'run', /belongs to none of its phases/],
  ['an error of no group', 'UPDATE errors SET group_id = 1', 'run', /is counted with others/],
  ['a first error of another run', 'UPDATE runs SET first_error_id = 1', 'run', /an error that it has not/],
  ['an error of no run', 'DELETE FROM phase_errors', 'run', /1 errors are of no run/],
  [
    'an error that no search finds',
    'DELETE FROM error_search WHERE rowid IN (SELECT id FROM errors)',
    'database',
    /1 errors are not found by/,
  ],
  ['an error that is gone', 'DELETE FROM errors', 'database', /a row of phase_errors names a row of errors/],
  [
    'an answer of another run',
    `UPDATE idempotency_keys SET answer = '{"id":"x"}'`,
    'idempotency',
    /answers another/,
  ],
])('finds %s', async (_, sql, kind, message) => {
  await link(await createRun(), 'bytes')
  await damage(sql)
  const { ok, problems } = await checkData(data)
  expect(ok).toBe(false)
  expect(problems).toContainEqual({ kind, message: expect.stringMatching(message) as unknown })
})

it('finds a database that is damaged on the disk', async () => {
  await createRun()
  await server.running.close()
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(join(data, 'runledger.db'))
  connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  connection.close()
  await truncate(join(data, 'runledger.db'), 40_000)
  const { ok, problems } = await checkData(data)
  expect(ok).toBe(false)
  expect(problems[0]).toMatchObject({ kind: 'database' })
})

it('says that there is no database', async () => {
  await expect(checkData(join(data, 'none'))).rejects.toThrow(/^There is no Runledger data in .*none/)
})
