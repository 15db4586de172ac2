import type { ErrorDetail, ErrorListItem, Page } from '@runledger/protocol'
import { sql } from 'kysely'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../storage/database/database'
import { startTestServer, type TestServer } from '../../testing/start-test-server'
import { isOnPostgres } from '../../testing/test-database'

let server: TestServer
let database: Database

beforeEach(async () => {
  server = await startTestServer({}, { wrapDatabase: (plain) => (database = plain) })
})

afterEach(() => server.stop())

const STEP = { name: 'adds', step_passed: false, started_at: '2026-11-20T09:00:00Z', duration: 'PT1S' }

function failing(message: string, change: Record<string, unknown> = {}) {
  return { ...STEP, error: { message, location: { file: 'src/cart.test.ts' } }, ...change }
}

async function createRun(steps: unknown[], variables: Record<string, string> = {}, change = {}) {
  const { id } = await server.createRun({
    run_passed: false,
    steps,
    report_variables: { file: 'src/cart.test.ts', ...variables },
    ...change,
  })
  return id ?? ''
}

async function list(query = ''): Promise<Page<ErrorListItem>> {
  const response = await server.send('GET', `/v2/errors?${query}`)
  const page = (await response.json()) as Page<ErrorListItem>
  expect([response.status, page]).toEqual([
    200,
    expect.objectContaining({ meta: expect.anything() as unknown }),
  ])
  return page
}

async function listMessages(query = ''): Promise<string[]> {
  return (await list(query)).data.map(({ message }) => message)
}

async function countRows(table: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`SELECT count(*) AS rows FROM ${sql.raw(table)}`.execute(
    database.query,
  )
  return rows[0]?.rows ?? -1
}

describe('errors of all runs', () => {
  it('are listed by what they have in common, with tests, runs and branches', async () => {
    const first = await createRun([failing('expected 3 to be 4'), failing('boom')], { git_branch: 'main' })
    const attempt = { outcome: 'FAIL', started_at: STEP.started_at, duration: 'PT1S' }
    const error = { message: 'expected 4 to be 5', location: { file: 'src/cart.test.ts' } }
    await createRun(
      [
        {
          ...STEP,
          step_passed: true,
          attempts: [
            { ...attempt, errors: [error] },
            { ...attempt, outcome: 'PASS' },
          ],
        },
        failing('expected 6 to be 7', { name: 'adds twice' }),
      ],
      { git_branch: 'feature' },
    )
    const last = await createRun([failing('expected 5 to be 6')], { git_branch: 'main' })
    const { data } = await list()
    expect(data).toMatchObject([
      {
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        message: 'expected 5 to be 6',
        count: 4,
        tests_count: 2,
        tests: [
          { procedure: { identifier: server.procedureId }, file: 'src/cart.test.ts', name: 'adds', count: 3 },
          { name: 'adds twice', count: 1 },
        ],
        first_run: { id: first, outcome: 'FAIL' },
        last_run: { id: last },
        branches: ['main', 'feature'],
      },
      { message: 'boom', count: 1, tests_count: 1, first_run: { id: first }, last_run: { id: first } },
    ])
    const run = await server.getRun(first)
    expect(run.phases[0]?.error?.fingerprint).toBe(data[0]?.fingerprint)
  })

  it('tell tests of different files apart, by where they are declared or the file of the run', async () => {
    const location = { file: 'src/other.test.ts' }
    await createRun([failing('boom'), failing('boom', { location })], { file: 'src/cart.test.ts' })
    const [error] = (await list()).data
    expect(error).toMatchObject({ count: 2, tests_count: 2 })
    expect(error?.tests.map(({ file }) => file).toSorted()).toEqual(['src/cart.test.ts', 'src/other.test.ts'])
  })

  it('tell tests of different projects apart', async () => {
    for (const project of ['chromium', 'webkit', 'chromium']) await createRun([failing('boom')], { project })
    const [error] = (await list()).data
    expect(error).toMatchObject({
      tests_count: 2,
      tests: [
        { name: 'adds', file: 'src/cart.test.ts', project: 'chromium', count: 2 },
        { name: 'adds', file: 'src/cart.test.ts', project: 'webkit', count: 1 },
      ],
    })
  })

  it('are counted in the runs that the filters leave, and others not listed', async () => {
    const main = { git_branch: 'main' }
    const old = await createRun([failing('boom')], main, { started_at: '2026-11-01T00:00:00Z' })
    const young = await createRun(
      [failing('boom')],
      { git_branch: 'feature' },
      { started_at: '2026-11-10T00:00:00Z' },
    )
    await createRun([failing('other')], main, { unit_under_test: { serial_number: 'SN-OTHER' } })
    const filters = {
      'started_before=2026-11-02T00:00:00Z': old,
      'started_after=2026-11-09T00:00:00Z&started_before=2026-11-11T00:00:00Z': young,
      'metadata[git_branch][in]=feature': young,
      [`metadata=${encodeURIComponent('{"git_branch":{"in":["feature"]}}')}`]: young,
    }
    for (const [query, id] of Object.entries(filters)) {
      const { data } = await list(query)
      expect([query, data]).toEqual([
        query,
        [
          expect.objectContaining({
            message: 'boom',
            count: 1,
            last_run: expect.objectContaining({ id }) as unknown,
          }),
        ],
      ])
    }
    expect(await listMessages('serial_numbers=sn-other')).toEqual(['other'])
    expect(await listMessages('outcomes=PASS')).toEqual([])
    expect(await listMessages(`procedure_ids=${server.procedureId}`)).toEqual(['other', 'boom'])
    const [{ fingerprint = '' } = {}] = (await list('serial_numbers=sn-other')).data
    expect(await listMessages(`fingerprints=${fingerprint.toUpperCase()}`)).toEqual(['other'])
    const runs = (await (
      await server.send('GET', `/v2/runs?error_fingerprints=${fingerprint}`)
    ).json()) as Page<{
      first_error: string
    }>
    expect(runs.data.map(({ first_error: message }) => message)).toEqual(['other'])
  })

  it('are counted in the tests that the filters leave', async () => {
    const facts = { tags: ['@smoke', 'slow'], owner: '@cart', kind: 'test' }
    await createRun([failing('boom', facts), failing('boom', { kind: 'hook' })], { git_branch: 'main' })
    await createRun([failing('boom', { ...facts, tags: ['slow'], owner: '@pay' })], { git_branch: 'fix' })
    const counts = {
      '': 3,
      'tags=@smoke': 1,
      'tags=slow': 2,
      'tags=@smoke&tags=slow': 2,
      'owners=@cart': 1,
      'owners=@cart&owners=@pay': 2,
      'kinds=hook': 1,
      'kinds=test': 2,
      'kinds=test&tags=slow&owners=@pay': 1,
      'branches=main': 2,
      'branches=main&branches=fix': 3,
      'branches=fix&kinds=hook': 0,
      'branches=main&metadata[git_branch][in]=fix': 0,
      'tags=@SMOKE': 0,
    }
    for (const [query, count] of Object.entries(counts)) {
      const { data } = await list(query)
      const tests = data.flatMap((error) => error.tests)
      expect([query, data.reduce((sum, error) => sum + error.count, 0)]).toEqual([query, count])
      expect([query, tests.reduce((sum, test) => sum + test.count, 0)]).toEqual([query, count])
    }
    expect((await server.send('GET', '/v2/errors?kinds=odd')).status).toBe(400)
  })

  it('are found by any part of a message, without regard to case', async () => {
    await createRun([
      failing('TypeError: cannot read “Größe” of 17'),
      failing("can't connect to http://a.test:81"),
    ])
    expect(await listMessages('search_query=GR%C3%96%C3%9FE')).toEqual([
      'TypeError: cannot read “Größe” of 17',
    ])
    expect(await listMessages(`search_query=${encodeURIComponent("can't CONNECT")}`)).toHaveLength(1)
    expect(await listMessages('search_query=of 17')).toHaveLength(1)
    expect(await listMessages('search_query=:8')).toHaveLength(1)
    expect(await listMessages('search_query=a.test"')).toEqual([])
    expect(await listMessages('search_query=nothing like it')).toEqual([])
  })

  it('are counted where the message has the text, though others of the same fingerprint have it not', async () => {
    await createRun([failing('order 1111 lost'), failing('order 2222 lost', { name: 'other' })])
    await createRun([failing('order 2222 lost', { name: 'other' })])
    const [error] = (await list('search_query=1111')).data
    expect(error).toMatchObject({ message: 'order 1111 lost', count: 1, tests_count: 1 })
    expect(error?.tests).toMatchObject([{ name: 'adds', count: 1 }])
    expect(await listMessages('search_query=lost')).toEqual(['order 2222 lost'])
  })

  it('are found by the first 2,000 characters of a message', async () => {
    const found = async (text: string) => (await listMessages(`search_query=${text}`)).length
    await createRun([failing(`begin ${'é'.repeat(1_990)}here ${'é'.repeat(100)} late`)])
    expect(await Promise.all(['begin', 'here', 'late'].map(found))).toEqual([1, 1, 0])
  })

  it('have the first 500 characters of long names, files, projects and branches', async () => {
    const long = (text: string) => text.repeat(10_000)
    const variables = { file: long('f'), project: long('p'), git_branch: long('b') }
    const id = await createRun([{ ...STEP, name: long('é'), error: { message: 'boom' } }], variables)
    const [error] = (await list()).data
    expect(error).toMatchObject({
      branches: ['b'.repeat(500)],
      tests: [{ name: 'é'.repeat(500), file: 'f'.repeat(500), project: 'p'.repeat(500) }],
    })
    expect((await server.getRun(id)).phases[0]?.name).toBe(long('é'))
  })

  it('come page by page in every order, each once', async () => {
    for (let index = 0; index < 7; index += 1)
      await createRun(
        Array.from({ length: (index % 3) + 1 }, () => failing(`error ${'abcdefg'.charAt(index)}`)),
      )
    const all = new Set(await listMessages())
    expect(all.size).toBe(7)
    for (const sortBy of ['last_run', 'first_run', 'count', 'tests'])
      for (const order of ['asc', 'desc']) {
        const seen: string[] = []
        let cursor = ''
        do {
          const page = await list(`sort_by=${sortBy}&sort_order=${order}&limit=3${cursor}`)
          seen.push(...page.data.map(({ message }) => message))
          cursor = page.meta.next_cursor === null ? '' : `&cursor=${page.meta.next_cursor}`
        } while (cursor !== '')
        expect([sortBy, order, seen.length, new Set(seen)]).toEqual([sortBy, order, 7, all])
      }
    expect((await list('sort_by=count&limit=1')).data[0]).toMatchObject({ count: 3 })
  })

  it('are refused with a sort order or a limit that is none', async () => {
    expect((await server.send('GET', '/v2/errors?sort_by=message')).status).toBe(400)
    expect((await server.send('GET', '/v2/errors?limit=0')).status).toBe(400)
  })
})

describe('one error', () => {
  async function get(fingerprint: string, query = ''): Promise<ErrorDetail> {
    const response = await server.send('GET', `/v2/errors/${fingerprint}?${query}`)
    expect(response.status).toBe(200)
    return (await response.json()) as ErrorDetail
  }

  async function find(message: string): Promise<string> {
    const { data } = await list()
    return data.find((one) => one.message === message)?.fingerprint ?? ''
  }

  it('has what it has in the list, all of it as it was the last time, its days and its last runs', async () => {
    const first = await createRun([failing('boom 1'), failing('other')], { git_branch: 'main' })
    const details = { stack: 'Error: boom', expected: 'a', actual: 'b', diff: '-a +b', snippet: '> 1 |' }
    const error = { message: 'boom 2', location: { file: 'src/cart.test.ts', line: 3 } }
    await createRun([failing('', { error }), failing('', { error: { ...error, ...details } })])
    const last = await createRun([failing('', { error: { ...error, ...details } }), failing('other')])
    const fingerprint = await find('boom 2')
    const found = await get(fingerprint.toUpperCase())
    const today = new Date().toISOString().slice(0, 10)
    expect(found).toMatchObject({
      fingerprint,
      message: 'boom 2',
      count: 4,
      tests_count: 1,
      tests: [{ name: 'adds', count: 4 }],
      first_run: { id: first },
      last_run: { id: last },
      branches: ['main'],
      error: { fingerprint, ...error, ...details },
      days: [{ date: today, count: 4, runs_count: 3 }],
    })
    expect(found.runs.map(({ id, first_error: message }) => [id, message])).toEqual([
      [last, 'boom 2'],
      [expect.any(String), 'boom 2'],
      [first, 'boom 1'],
    ])
  })

  it('is counted in what the filters leave, and is not found where they leave none', async () => {
    const main = await createRun([failing('boom'), failing('boom')], { git_branch: 'main' })
    await createRun([failing('boom')], { git_branch: 'fix' })
    const fingerprint = await find('boom')
    const found = await get(fingerprint, 'branches=main')
    expect(found).toMatchObject({ count: 2, days: [{ count: 2, runs_count: 1 }], runs: [{ id: main }] })
    expect(found.runs).toHaveLength(1)
    for (const path of [`${fingerprint}?branches=none`, 'a'.repeat(64), 'x', 'a'.repeat(300)]) {
      const response = await server.send('GET', `/v2/errors/${path}`)
      const { message } = (await response.json()) as { message: string }
      expect([path, response.status, message]).toEqual([path, 404, expect.stringContaining('fingerprint')])
    }
  })
})

describe('what was deleted', () => {
  it('is in no list of errors, and nowhere in the database once nothing has it', async () => {
    const gone = await createRun([failing('secret plan'), failing('boom')])
    const kept = await createRun([failing('boom')])
    expect((await server.send('DELETE', `/v2/runs?ids=${gone}`)).status).toBe(200)
    expect((await list()).data).toMatchObject([{ message: 'boom', count: 1, first_run: { id: kept } }])
    expect(await listMessages('search_query=secret')).toEqual([])
    for (const table of ['errors', 'error_groups', 'phase_errors'])
      expect([table, await countRows(table)]).toEqual([table, 1])
    await server.send('DELETE', `/v2/runs?ids=${kept}`)
    for (const table of [
      'errors',
      'error_groups',
      'phase_errors',
      'phase_attempts',
      'phase_tags',
      ...(isOnPostgres ? [] : ['error_search']),
    ])
      expect([table, await countRows(table)]).toEqual([table, 0])
  })

  it('goes with its procedure, texts of tests too', async () => {
    await server.send('POST', '/v2/procedures', { name: 'Gone', identifier: 'GONE' })
    await createRun(
      [failing('boom', { tags: ['@a'], owner: '@b', location: { file: 'c.ts' } })],
      {},
      { procedure_id: 'GONE' },
    )
    expect((await server.send('DELETE', '/v2/procedures/GONE')).status).toBe(200)
    expect(await listMessages()).toEqual([])
    for (const table of ['definitions', 'phases', 'errors'])
      expect([table, await countRows(table)]).toEqual([table, 0])
  })
})

it('a run knows its first error, so that no list goes through all of its errors', async () => {
  const once = {
    outcome: 'FAIL',
    started_at: STEP.started_at,
    duration: 'PT1S',
    errors: [{ message: 'once' }],
  }
  const last = { ...once, errors: [{ message: 'last' }] }
  await createRun([
    failing('passed', { step_passed: true }),
    { ...STEP, name: 'none' },
    { ...STEP, attempts: [once, last] },
    failing('later'),
  ])
  const runs = `(SELECT 1 FROM runs JOIN errors ON errors.id = first_error_id WHERE message = 'last') AS found`
  expect(await countRows(runs)).toBe(1)
})

it('a list is not slow because there were few errors when the service last started', async () => {
  const word = (index: number) =>
    [...String(index)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('')
  const errorsOf = (step: number) =>
    Array.from({ length: 20 }, (_, index) => ({ message: word(step * 20 + index) }))
  const steps = Array.from({ length: 150 }, (_, step) => ({ ...STEP, errors: errorsOf(step) }))
  const timeLists = async () => {
    await createRun(steps)
    const times: number[] = []
    for (let count = 0; count < 3; count += 1) {
      const beganAt = performance.now()
      expect((await list('limit=1')).data).toHaveLength(1)
      times.push(performance.now() - beganAt)
    }
    return Math.min(...times)
  }
  const usual = await timeLists()
  await server.stop()
  const data = await mkdtemp(join(tmpdir(), 'runledger-errors-'))
  server = await startTestServer({ data })
  await createRun([failing('boom')])
  await server.stop()
  server = await startTestServer({ data })
  expect(await timeLists()).toBeLessThan(100 + 5 * usual)
  await rm(data, { recursive: true })
})

it('long messages that differ in numbers, however long, are the same error', async () => {
  await createRun(['7', '1234567'].map((number) => failing(`no ${`row ${number}, `.repeat(2_000)}`)))
  expect((await list()).data).toMatchObject([{ count: 2 }])
})

it('an error that happens again is stored once', async () => {
  for (let count = 0; count < 3; count += 1)
    await createRun([
      failing('boom', { error: { message: 'boom', stack: 's', diff: 'd' } }),
      failing('boom 1'),
      failing('boom 2'),
    ])
  expect(await Promise.all(['error_groups', 'errors', 'phase_errors'].map(countRows))).toEqual([2, 3, 9])
})
