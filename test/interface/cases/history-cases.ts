import { expect } from 'vitest'
import type {
  BuildListItem,
  BuildTest,
  Comparison,
  Explanation,
  Home,
  Page,
  SearchResult,
  TestDetail,
  TestPage,
} from '../../../packages/protocol/src/index'
import type { ContractCase, ContractInput } from '../contract-case'
import type { World } from '../world'
import { UNKNOWN_ID } from './unknown-id'

interface BuildMade {
  group: string
  branch: string
  file: string
}

/** A build of one run, whose tests have these outcomes. */
async function makeBuild(
  world: World,
  tests: Record<string, 'passed' | 'failed'>,
  over: Partial<BuildMade> = {},
): Promise<BuildMade> {
  const group = world.unique('ci-history')
  const made = { group, branch: `branch-of-${group}`, file: `src/${group}.test.ts`, ...over }
  const started_at = new Date(Date.now() - 60_000).toISOString()
  const steps = Object.entries(tests).map(([name, outcome]) => ({
    name,
    kind: 'test',
    step_passed: outcome === 'passed',
    started_at,
    duration: 'PT0.01S',
    ...(outcome === 'failed' && { error: { message: `${name} breaks` } }),
  }))
  await world.client.createLenientV1Run({
    body: {
      procedure_id: world.procedureId,
      unit_under_test: { serial_number: world.unique('SN'), part_number: 'PN-1', revision: 'A' },
      run_passed: steps.every(({ step_passed: passed }) => passed),
      started_at,
      duration: 'PT1S',
      report_variables: { group: made.group, git_branch: made.branch, file: made.file },
      steps,
    } as never,
  })
  return made
}

const listTestsOf = (world: World, { file }: BuildMade) =>
  world.client.listTests({ query: { files: [file], sort_by: 'name', sort_order: 'asc' } } as never)

export async function makeTest(world: World): Promise<{ id: string; made: BuildMade }> {
  const made = await makeBuild(world, { 'adds up': 'failed' })
  const { data } = await listTestsOf(world, made)
  return { id: data[0]?.id ?? '', made }
}

async function makeAlias(world: World): Promise<ContractInput> {
  const [later, earlier] = [await makeTest(world), await makeTest(world)]
  await world.client.addTestAlias({ params: { id: later.id }, body: { test_id: earlier.id } })
  return { params: { id: later.id, test_id: earlier.id } }
}

const namesOf = ({ data }: { data: { test: { name: string } }[] }) => data.map(({ test }) => test.name)

/** An error of a member names it, with what is wrong. */
function expectIssue(answer: unknown, member: string): void {
  expect(answer).toMatchObject({ issues: [{ path: [member], message: expect.any(String) as string }] })
}

const BUILD_LIST_CASES: readonly ContractCase[] = [
  {
    operation: 'listBuilds',
    answers: 'ok',
    input: async (world) => {
      const { branch } = await makeBuild(world, { 'adds up': 'passed', pays: 'failed' })
      return { query: { branches: [branch] } }
    },
    check: ({ data }: Page<BuildListItem>, { procedureId }, { query }) => {
      expect(data).toMatchObject([
        {
          branch: (query as { branches: string[] }).branches[0],
          state: 'failed',
          runs: { total: 1, failed: 1 },
          tests: { passed: 1, flaky: 0, failed: 1, skipped: 0 },
          procedures: [{ id: procedureId }],
          is_infrastructure: false,
        },
      ])
    },
  },
  {
    operation: 'listBuilds',
    answers: 'BAD_REQUEST',
    when: 'a state that is none',
    input: () => ({ query: { states: ['green'] } }),
  },
  {
    operation: 'listBuildTests',
    answers: 'ok',
    input: async (world) => {
      const { group } = await makeBuild(world, { 'adds up': 'passed', pays: 'failed' })
      return { params: { group }, query: { outcomes: ['failed'] } }
    },
    check: ({ data }: Page<BuildTest>) => {
      expect(data).toMatchObject([
        { test: { name: 'pays' }, outcome: 'failed', duration_ms: 10, error: { message: 'pays breaks' } },
      ])
    },
  },
  { operation: 'listBuildTests', answers: 'NOT_FOUND', input: () => ({ params: { group: UNKNOWN_ID } }) },
  {
    operation: 'listBuildTests',
    answers: 'BAD_REQUEST',
    when: 'an outcome that is none',
    input: () => ({ params: { group: UNKNOWN_ID }, query: { outcomes: ['green'] } }),
  },
  {
    operation: 'compareBuilds',
    answers: 'ok',
    input: async (world) => {
      const base = await makeBuild(world, {
        breaks: 'passed',
        stays: 'failed',
        heals: 'failed',
        goes: 'passed',
      })
      const head = await makeBuild(
        world,
        { breaks: 'failed', stays: 'failed', heals: 'passed', comes: 'passed' },
        { file: base.file },
      )
      return { query: { base: base.group, head_branch: head.branch } }
    },
    check: (answer: Comparison) => {
      const { newly_failing: newly, still_failing: still, fixed, gone } = answer
      expect([newly, still, fixed, answer.new, gone].map(namesOf)).toEqual([
        ['breaks'],
        ['stays'],
        ['heals'],
        ['comes'],
        ['goes'],
      ])
      expect(answer.new_errors).toMatchObject([{ message: 'breaks breaks', tests_count: 1 }])
    },
  },
  {
    operation: 'compareBuilds',
    answers: 'BAD_REQUEST',
    when: 'without a base',
    input: () => ({ query: { head: 'ci-1' } }),
    check: (answer) => expectIssue(answer, 'base'),
  },
  {
    operation: 'compareBuilds',
    answers: 'NOT_FOUND',
    input: () => ({ query: { base: UNKNOWN_ID, head: UNKNOWN_ID } }),
  },
]

const TEST_CASES: readonly ContractCase[] = [
  {
    operation: 'listTests',
    answers: 'ok',
    input: async (world) => {
      const made = await makeBuild(world, { 'adds up': 'passed', pays: 'failed' })
      await makeBuild(world, { 'adds up': 'passed', pays: 'passed' }, { file: made.file })
      return { query: { files: [made.file], sort_by: 'failing', sort_order: 'desc' } }
    },
    check: ({ data, meta }: TestPage) => {
      expect(meta).toMatchObject({ total: 2, has_more: false, next_cursor: null })
      expect(data).toMatchObject([
        { name: 'pays', results: 2, failures: { count: 1, of: 2, rate: 0.5 }, mean_ms: 10 },
        { name: 'adds up', results: 2, failures: { count: 0, of: 2, rate: 0 }, recent: 'pp' },
      ])
    },
  },
  ...['days', 'cursor', 'sort_by'].map((member): ContractCase => ({
    operation: 'listTests',
    answers: 'BAD_REQUEST',
    when: `with ${member} that makes no sense`,
    input: () => ({ query: { [member]: 'x' } }),
    check: (answer) => expectIssue(answer, member),
  })),
  {
    operation: 'getTest',
    answers: 'ok',
    input: async (world) => ({ params: { id: (await makeTest(world)).id } }),
    check: (answer: TestDetail, _world, { params }) => {
      expect(answer).toMatchObject({
        id: params?.id,
        name: 'adds up',
        failures: { count: 1, of: 1 },
        results_list: [{ outcome: 'failed', duration_ms: 10 }],
        errors: [{ message: 'adds up breaks', count: 1 }],
        aliases: [],
      })
    },
  },
  { operation: 'getTest', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  {
    operation: 'addTestAlias',
    answers: 'ok',
    input: async (world) => {
      const [later, earlier] = [await makeTest(world), await makeTest(world)]
      return { params: { id: later.id }, body: { test_id: earlier.id } }
    },
    check: async ({ id }: { id: string }, { client }, { body }) => {
      const test = await client.getTest({ params: { id } })
      expect(test.aliases.map((alias) => alias.id)).toEqual([(body as { test_id: string }).test_id])
      expect(test.results_list).toHaveLength(2)
    },
  },
  {
    operation: 'addTestAlias',
    answers: 'NOT_FOUND',
    input: async (world) => ({ params: { id: (await makeTest(world)).id }, body: { test_id: UNKNOWN_ID } }),
  },
  {
    operation: 'addTestAlias',
    answers: 'CONFLICT',
    when: 'itself',
    input: async (world) => {
      const { id } = await makeTest(world)
      return { params: { id }, body: { test_id: id } }
    },
  },
  {
    operation: 'removeTestAlias',
    answers: 'ok',
    input: makeAlias,
    check: async ({ id }: { id: string }, { client }) => {
      const test = await client.getTest({ params: { id } })
      expect(test.aliases).toEqual([])
      expect(test.results_list).toHaveLength(1)
    },
  },
  {
    operation: 'removeTestAlias',
    answers: 'NOT_FOUND',
    when: 'no earlier name',
    input: async (world) => {
      const [one, other] = [await makeTest(world), await makeTest(world)]
      return { params: { id: one.id, test_id: other.id } }
    },
  },
]

const EXPLANATION_CASES: readonly ContractCase[] = [
  {
    operation: 'explainFailures',
    answers: 'ok',
    input: async (world) => {
      const { group, file } = await makeBuild(world, { 'adds up': 'passed', pays: 'passed' })
      const last = await makeBuild(
        world,
        { 'adds up': 'passed', pays: 'failed' },
        { file, branch: `of-${group}` },
      )
      return { query: { branch: last.branch } }
    },
    check: (answer: Explanation) => {
      expect(answer).toMatchObject({ build: { state: 'failed' }, failures_count: 1, causes_count: 1 })
      expect(answer.failures).toMatchObject([
        {
          name: 'pays',
          outcome: 'failed',
          error: { message: 'pays breaks' },
          past: { first_failed: { branch: answer.build?.branch }, failing_builds: 1 },
        },
      ])
    },
  },
  {
    operation: 'explainFailures',
    answers: 'ok',
    when: 'of a test',
    input: async (world) => ({ query: { test_id: (await makeTest(world)).id } }),
    check: ({ test, failures }: Explanation) => {
      expect(test).toMatchObject({ name: 'adds up' })
      expect(failures).toMatchObject([{ name: 'adds up', past: { is_first_seen: true, last_passed: null } }])
    },
  },
  ...['run_id', 'group', 'test_id', 'branch'].map((member): ContractCase => ({
    operation: 'explainFailures',
    answers: 'NOT_FOUND',
    when: `${member} of none`,
    input: () => ({ query: { [member]: UNKNOWN_ID } }),
  })),
  {
    operation: 'explainFailures',
    answers: 'BAD_REQUEST',
    when: 'a run and a test',
    input: () => ({ query: { run_id: UNKNOWN_ID, test_id: UNKNOWN_ID } }),
    check: (answer) => expectIssue(answer, 'run_id'),
  },
]

/** What is answered of builds and tests over time. */
export const HISTORY_CASES: readonly ContractCase[] = [
  {
    operation: 'getHome',
    answers: 'ok',
    input: async (world) => {
      await makeBuild(world, { 'adds up': 'passed' })
      return {}
    },
    check: ({ projects, needs_you: items }: Home, { procedureId }) => {
      expect(projects.map(({ procedure }) => procedure.id)).toContain(procedureId)
      expect(items.length).toBeLessThanOrEqual(5)
    },
  },
  {
    operation: 'search',
    answers: 'ok',
    input: async (world) => ({ query: { query: (await makeTest(world)).made.branch.toUpperCase() } }),
    check: ({ data }: SearchResult, _world, { query }) => {
      const { query: typed } = query as { query: string }
      expect(data).toContainEqual({
        kind: 'branch',
        id: typed.toLowerCase(),
        title: typed.toLowerCase(),
        detail: null,
      })
    },
  },
  {
    operation: 'search',
    answers: 'BAD_REQUEST',
    when: 'one character',
    input: () => ({ query: { query: 'a' } }),
    check: (answer) => expectIssue(answer, 'query'),
  },
  ...BUILD_LIST_CASES,
  ...TEST_CASES,
  ...EXPLANATION_CASES,
]
