import { ListTestsQuerySchema } from '@runledger/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { getTest } from '../../record/results/history/test-detail'
import { listTests } from '../../record/results/history/test-list'
import { openTestContext, type TestContext } from '../../testing/open-test-context'
import { createRunIn } from '../../testing/start-test-server'
import { mergeRenames } from './merge-renames'

const MINUTE_US = 60_000_000

let opened: TestContext
let context: TestContext['context']

beforeEach(async () => {
  opened = await openTestContext('SHOP')
  ;({ context } = opened)
})

afterEach(() => opened.close())

/** Records a build on main, a minute after the one before, with these tests by their files. */
async function record(group: string, files: Readonly<Record<string, string[]>>): Promise<void> {
  opened.advance(MINUTE_US)
  const started_at = new Date(context.clock() / 1000).toISOString()
  for (const [file, names] of Object.entries(files))
    await createRunIn(context, opened.principal, {
      procedure_id: 'SHOP',
      unit_under_test: { serial_number: 'shop@1', part_number: 'shop', revision: '1' },
      run_passed: true,
      started_at,
      duration: 'PT1S',
      report_variables: { group, git_branch: 'main', file },
      steps: names.map((name) => ({
        name,
        kind: 'test',
        step_passed: true,
        started_at,
        duration: 'PT0.01S',
      })),
    })
}

async function merge(): Promise<void> {
  opened.advance(2 * MINUTE_US)
  await mergeRenames(context)
}

const list = async () => (await listTests(context, ListTestsQuerySchema.parse({ sort_by: 'name' }))).data

it('follows a test whose file moved, and one whose group was renamed', async () => {
  await record('ci-1', { 'cart.test.ts': ['cart › adds'], 'pay.test.ts': ['card › pays', 'card › refuses'] })
  await record('ci-2', {
    'shop/cart.test.ts': ['cart › adds'],
    'pay.test.ts': ['cards › pays', 'cards › refuses'],
  })
  await merge()
  const tests = await list()
  expect(tests.map(({ name, file, results }) => [name, file, results]).sort()).toEqual([
    ['cards › pays', 'pay.test.ts', 2],
    ['cards › refuses', 'pay.test.ts', 2],
    ['cart › adds', 'shop/cart.test.ts', 2],
  ])
  const moved = tests.find(({ name }) => name === 'cart › adds')
  const detail = await getTest(context, moved?.id ?? '', { branch: undefined, environment: undefined })
  expect(detail.aliases.map(({ file }) => file)).toEqual(['cart.test.ts'])
  expect(detail.results_list.map(({ build }) => build.group)).toEqual(['ci-1', 'ci-2'])
})

it('leaves tests apart that were there together, or may be several', async () => {
  await record('ci-1', { 'a.test.ts': ['adds'] })
  await record('ci-2', { 'a.test.ts': ['adds', 'counts'] })
  await record('ci-3', { 'b.test.ts': ['adds'], 'c.test.ts': ['adds'] })
  await merge()
  expect(await list()).toHaveLength(4)
})

it('waits for a build that may still be running', async () => {
  await record('ci-1', { 'a.test.ts': ['adds'] })
  await record('ci-2', { 'b.test.ts': ['adds'] })
  await mergeRenames(context)
  expect(await list()).toHaveLength(2)
  await merge()
  expect(await list()).toHaveLength(1)
})
