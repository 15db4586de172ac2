import { ListTestsQuerySchema } from '@runledger/protocol'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readBuild } from '../../record/results/builds/read-build'
import { listTests } from '../../record/results/history/test-list'
import { openTestContext, type TestContext } from '../../testing/open-test-context'
import { createRunIn } from '../../testing/start-test-server'
import { fillHistory } from './fill-history'
import { rebuildRollUps } from './rebuild-roll-ups'

let opened: TestContext
let context: TestContext['context']

beforeEach(async () => {
  opened = await openTestContext('SHOP')
  ;({ context } = opened)
  for (let index = 0; index < 60; index += 1) await record(opened.principal, index)
})

afterEach(() => opened.close())

async function record(principal: TestContext['principal'], index: number): Promise<void> {
  const started_at = new Date(Date.now() - index * 3_600_000).toISOString()
  await createRunIn(context, principal, {
    procedure_id: 'SHOP',
    unit_under_test: { serial_number: 'shop@1', part_number: 'shop', revision: '1' },
    run_passed: index % 5 !== 0,
    started_at,
    duration: 'PT1S',
    report_variables: {
      group: `ci-${index % 7}`,
      git_branch: index % 3 === 0 ? 'main' : 'feature',
      file: 'a.test.ts',
    },
    steps: ['adds', 'removes'].map((name) => ({
      name,
      kind: 'test',
      step_passed: index % 5 !== 0 || name === 'removes',
      started_at,
      duration: 'PT0.01S',
    })),
  })
}

async function readAll() {
  const tests = await listTests(context, ListTestsQuerySchema.parse({ sort_by: 'name' }))
  const builds = await Promise.all(Array.from({ length: 7 }, (_, index) => readBuild(context, `ci-${index}`)))
  return { tests, builds }
}

const change = (...statements: string[]) =>
  context.database.write(async ({ query }) => {
    for (const statement of statements) await sql.raw(statement).execute(query)
  })

it('are rebuilt as they were where nothing is wrong', async () => {
  const before = await readAll()
  expect(await rebuildRollUps(context)).toEqual({
    runs: 60,
    changed_runs: 0,
    changed_roll_ups: 0,
    different: 0,
  })
  expect(await readAll()).toEqual(before)
})

it('are made right again where they are wrong', async () => {
  const before = await readAll()
  await change(
    'UPDATE test_days SET failed = failed + 3 WHERE day = (SELECT max(day) FROM test_days)',
    'DELETE FROM test_results WHERE run_id = (SELECT max(run_id) FROM test_results)',
    'UPDATE builds SET branch = NULL',
  )
  expect(await rebuildRollUps(context)).toMatchObject({ changed_runs: 1, different: 0 })
  expect(await readAll()).toEqual(before)
})

it('are filled with runs that were stored before, after a stop as well', async () => {
  const before = await readAll()
  await change(
    'DELETE FROM test_days',
    'DELETE FROM test_results',
    'DELETE FROM run_suites',
    'UPDATE runs SET build_id = NULL, branch_id = NULL, environment = NULL, shard = NULL, file_id = NULL',
    'DELETE FROM build_procedures',
    'DELETE FROM builds',
  )
  const stopping = new AbortController()
  const stopped = fillHistory(context, stopping.signal)
  stopping.abort()
  await stopped
  expect((await readAll()).tests.data).toEqual([])
  await fillHistory(context, new AbortController().signal)
  expect((await readAll()).tests).toEqual(before.tests)
  expect((await readAll()).builds.map((build) => build?.tests)).toEqual(
    before.builds.map((build) => build?.tests),
  )
})
