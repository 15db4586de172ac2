import type { Comparison } from '@runledger/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeEach(async () => {
  server = await startTestServer()
})

afterEach(() => server.stop())

const get = createResponse(() => server)

/** The result of a test, with its seconds or its error. */
type Told = 'skipped' | `passed ${number}` | `failed ${string}`

/** Records a run of a build with these tests. */
async function record(group: string, tests: Record<string, Told>): Promise<void> {
  const told = Object.entries(tests).map(([name, said]) => ({ name, said: said.split(' ', 2) }))
  await server.createRun({
    run_passed: told.every(({ said: [outcome] }) => outcome !== 'failed'),
    report_variables: { group, git_branch: group, file: 'a.test.ts' },
    steps: told.flatMap(({ name, said: [outcome, detail = ''] }) =>
      outcome === 'skipped'
        ? []
        : {
            name,
            kind: 'test',
            step_passed: outcome === 'passed',
            started_at: new Date().toISOString(),
            duration: `PT${outcome === 'passed' ? detail : 1}S`,
            ...(outcome === 'failed' ? { error: { message: detail } } : {}),
          },
    ),
    skipped: told.flatMap(({ name, said: [outcome] }) => (outcome === 'skipped' ? { name } : [])),
  })
}

const LISTS = ['newly_failing', 'still_failing', 'fixed', 'slower', 'new', 'gone'] as const

async function compare(sides: string) {
  const comparison = await get<Comparison>('GET', `/v2/comparison?${sides}`)
  const lists = LISTS.map((name) => {
    const { total, data } = comparison[name]
    expect(total).toBe(data.length)
    return [name, data.map(({ test }) => test.name).sort()]
  })
  return { ...comparison, ...(Object.fromEntries(lists) as Record<(typeof LISTS)[number], string[]>) }
}

it('lists each test that differs between two builds under its change', async () => {
  await record('one', {
    breaks: 'passed 1',
    broken: 'failed red',
    mended: 'failed red',
    slow: 'passed 1',
    'barely slow': 'passed 1',
    'slow by little': 'passed 0.1',
    removed: 'passed 1',
    left: 'skipped',
    'left out': 'failed red',
  })
  await record('two', {
    breaks: 'failed blue',
    broken: 'failed red',
    mended: 'passed 1',
    slow: 'passed 1.2',
    'barely slow': 'passed 1.199',
    'slow by little': 'passed 0.19',
    added: 'failed green',
    left: 'failed blue',
    'left out': 'skipped',
  })
  expect(await compare('base=one&head=two')).toMatchObject({
    newly_failing: ['breaks'],
    still_failing: ['broken'],
    fixed: ['mended'],
    slower: ['slow'],
    new: ['added'],
    gone: ['removed'],
    new_errors: [
      { message: 'blue', tests_count: 2 },
      { message: 'green', tests_count: 1 },
    ],
  })
})

it('compares the last result of each test, also under an earlier name', async () => {
  await record('one', { adds: 'failed red', 'adds up': 'passed 1' })
  await record('one', { adds: 'passed 1' })
  await record('two', { adds: 'passed 1', sums: 'passed 1' })
  await record('two', { adds: 'failed red', sums: 'failed blue' })
  const [later] = (await get<Comparison>('GET', '/v2/comparison?base=one&head=two')).new.data
  const [earlier] = (await get<Comparison>('GET', '/v2/comparison?base=one&head=two')).gone.data
  await get('POST', `/v2/tests/${later?.test.id}/aliases`, { test_id: earlier?.test.id })
  const comparison = await compare('base_branch=one&head_branch=two')
  expect(comparison).toMatchObject({ newly_failing: ['adds', 'sums'], new: [], gone: [], fixed: [] })
  expect(comparison.new_errors.map(({ message }) => message).sort()).toEqual(['blue', 'red'])
})

it('finds no difference between a build and itself', async () => {
  await record('one', { adds: 'failed red', counts: 'passed 1' })
  expect(await compare('base=one&head=one')).toMatchObject({
    newly_failing: [],
    still_failing: ['adds'],
    fixed: [],
    slower: [],
    new: [],
    gone: [],
    new_errors: [],
  })
})
