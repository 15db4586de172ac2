import {
  BUILD_STATES,
  FilterTextSchema,
  MAX_LINE_DAYS,
  RULE_SETS,
  TEST_OUTCOMES,
  TEST_STATES,
  YIELD_GROUPS,
} from '@runledger/protocol'
import * as z from 'zod'
import { findTestId, readHistoryPage } from '../ask/history-pages'
import { formatVerdicts } from '../ask/markdown'
import { compareWithEarlier, findRunId } from '../ask/run'
import { CommandError } from '../command-error'
import { list, limitOf, RunSchema, SinceSchema } from './inputs'
import { runsTool } from './runs-tool'
import { defineTool, type Tool } from './tool'

const GroupSchema = FilterTextSchema.min(1).describe('A build: the report variable `group` of its runs')
const TestSchema = FilterTextSchema.min(1).describe(
  'Id of a test, or a part of its name that no other test has',
)
const BranchSchema = FilterTextSchema.min(1)
const TextsSchema = list(FilterTextSchema)
const DEFAULT_LISTED = 10
const LimitSchema = limitOf(100, DEFAULT_LISTED)
const TextCursorSchema = z.string().max(20).optional().describe('From the end of the page before')
const CursorSchema = z.int().min(0).optional().describe('From the end of the page before')

const overviewTool = defineTool({
  name: 'overview',
  title: 'What needs attention, or what has a name',
  description:
    'Without `search`: what needs somebody, and each project with its last builds and its counts of broken, flaky and slower tests. With `search`: tests, builds, commits, branches, authors, owners, units, batches and errors with a text in their name.',
  input: z.strictObject({ search: FilterTextSchema.min(2).optional() }),
  answer: (service, { search }) =>
    search === undefined
      ? readHistoryPage(service, '/home')
      : readHistoryPage(service, '/search', { query: search }),
})

const buildsTool = defineTool({
  name: 'builds',
  title: 'Builds, or one build',
  description:
    'Without `group`: builds, newest first, with state, counts, branch, commit and author. With `group`: what became of a build, what is missing, and why it failed, equal errors as one cause; with `outcomes` the results of its tests.',
  input: z.strictObject({
    group: GroupSchema.optional(),
    outcomes: list(z.enum(TEST_OUTCOMES)).optional().describe('With group: tests with these outcomes'),
    branches: TextsSchema.optional(),
    authors: TextsSchema.optional(),
    commits: TextsSchema.optional(),
    states: list(z.enum(BUILD_STATES)).optional(),
    procedures: TextsSchema.optional(),
    since: SinceSchema.optional(),
    limit: LimitSchema,
    cursor: CursorSchema,
  }),
  answer: (service, { group, outcomes, procedures, since, limit, cursor, ...filter }) => {
    if (group === undefined)
      return readHistoryPage(service, '/builds', {
        ...filter,
        procedure_ids: procedures,
        started_after: since,
        limit,
        cursor,
      })
    const path = `/builds/${encodeURIComponent(group)}`
    return outcomes === undefined
      ? readHistoryPage(service, path)
      : readHistoryPage(service, `${path}/tests`, { outcomes, limit, cursor })
  },
})

const testsTool = defineTool({
  name: 'tests',
  title: 'Tests, or one test',
  description:
    'Without `test`: tests sorted by how flaky, failing, slow, slower or costly they are, with rates, 95 % intervals and sample sizes. With `test`: one test: state, when it broke and was fixed and by which commits, changes of its duration, evidence that it is flaky, errors.',
  input: z.strictObject({
    test: TestSchema.optional(),
    sort: z.enum(['flaky', 'failing', 'slow', 'slower', 'cost', 'name']).default('flaky'),
    branch: BranchSchema.optional(),
    days: z.int().min(1).max(365).optional(),
    procedures: TextsSchema.optional(),
    projects: TextsSchema.optional(),
    files: TextsSchema.optional(),
    owners: TextsSchema.optional(),
    tags: TextsSchema.optional(),
    states: list(z.enum(TEST_STATES)).optional(),
    search: FilterTextSchema.optional().describe('A part of the name or the file'),
    limit: LimitSchema,
    cursor: TextCursorSchema,
  }),
  answer: async (service, { test, sort, procedures, search, ...filter }) => {
    if (test !== undefined) {
      const id = await findTestId(service.client, test)
      return readHistoryPage(service, `/tests/${id}`, { branch: filter.branch })
    }
    const order = sort === 'name' ? 'asc' : 'desc'
    return readHistoryPage(service, '/tests', {
      ...filter,
      sort_by: sort,
      sort_order: order,
      procedure_ids: procedures,
      search_query: search,
    })
  },
})

const errorsTool = defineTool({
  name: 'errors',
  title: 'Errors, or one error',
  description:
    'Without `fingerprint`: why tests failed, errors that are the same but for numbers and the like as one, the last first. With it: one error: text, tests, branches, days, runs.',
  input: z.strictObject({
    fingerprint: FilterTextSchema.min(1).optional(),
    search: FilterTextSchema.optional().describe('A part of the message'),
    branches: TextsSchema.optional(),
    procedures: TextsSchema.optional(),
    owners: TextsSchema.optional(),
    since: SinceSchema.optional(),
    limit: LimitSchema,
    cursor: CursorSchema,
  }),
  answer: (service, { fingerprint, search, procedures, since, ...filter }) =>
    fingerprint === undefined
      ? readHistoryPage(service, '/errors', {
          ...filter,
          search_query: search,
          procedure_ids: procedures,
          started_after: since,
        })
      : readHistoryPage(service, `/errors/${encodeURIComponent(fingerprint)}`),
})

const compareTool = defineTool({
  name: 'compare',
  title: 'Compare builds, or tell new failures from old ones',
  description:
    'With `base` and `head`: tests that newly fail, are fixed, slower, new or gone between two builds; with `branches` both are branches. With `run` or `group`: whether each failure is new, already failing (and since when), flaky, or seen for the first time.',
  input: z
    .strictObject({
      base: FilterTextSchema.min(1).optional(),
      head: FilterTextSchema.min(1).optional(),
      branches: z.boolean().default(false).describe('base and head are branches'),
      run: RunSchema.optional(),
      group: GroupSchema.optional(),
    })
    .refine(
      ({ base, head, run, group }) =>
        (base === undefined) === (head === undefined) &&
        [base, run, group].filter((one) => one !== undefined).length === 1,
      'name base and head, a run, or a group',
    ),
  answer: async (service, { base, head, branches, run, group = '' }) => {
    if (base !== undefined)
      return readHistoryPage(
        service,
        '/compare',
        branches ? { base_branch: base, head_branch: head } : { base, head },
      )
    const of = run === undefined ? { group } : { ids: [await findRunId(service.client, run)] }
    const verdicts = await compareWithEarlier(service.client, of)
    if (!verdicts) throw new CommandError('this service does not compare runs')
    return formatVerdicts(verdicts)
  },
})

const explainTool = defineTool({
  name: 'explain',
  title: 'Explain a failure',
  description:
    'Explains the failures of a run, a build, a test or the last build of a branch: failing line, error, the last build that passed, the commits that introduced it, the same error elsewhere, whether it is flaky, and the command to run it again.',
  input: z.strictObject({
    run: RunSchema.optional(),
    group: GroupSchema.optional(),
    test: TestSchema.optional(),
    branch: BranchSchema.optional(),
    limit: limitOf(10, 3),
  }),
  answer: async (service, { run, group, test, branch, limit }) =>
    readHistoryPage(service, '/explanation', {
      run_id: run === undefined ? undefined : await findRunId(service.client, run),
      test_id: test === undefined ? undefined : await findTestId(service.client, test),
      group,
      branch,
      limit,
    }),
})

const lineTool = defineTool({
  name: 'line',
  title: 'A procedure of a production line, or one of its measurements',
  description:
    'Without `phase`: yields of a procedure with intervals and sample sizes, and the measurements that fail most. With `phase`: whether its measurement is in control and capable, when it drifted and what began there, and its last values; with `gauge` how much of its variation is the gauge.',
  input: z.strictObject({
    procedure: FilterTextSchema.min(1).describe('Identifier or id'),
    by: z.enum(YIELD_GROUPS).default('week').describe('What yields are counted by'),
    days: z.int().min(1).max(MAX_LINE_DAYS).optional(),
    phase: FilterTextSchema.min(1).optional(),
    measurement: FilterTextSchema.optional().describe('Where its name is not that of the phase'),
    batches: TextsSchema.optional().describe('With phase: values of these batches'),
    stations: TextsSchema.optional().describe('With phase: values of these stations'),
    rules: z.enum(RULE_SETS).optional(),
    gauge: z.boolean().default(false),
  }),
  answer: async (service, { procedure, by, days, phase, measurement, batches, gauge, ...filter }) => {
    const period = { procedure_id: procedure, days }
    if (phase === undefined) {
      const yields = await readHistoryPage(service, '/line/yields', { ...period, by })
      return `${yields}\n${await readHistoryPage(service, '/line/failures', period)}`
    }
    const of = { ...period, phase, measurement }
    return gauge
      ? readHistoryPage(service, '/line/gauge', of)
      : readHistoryPage(service, '/line/measurement', { ...of, ...filter, batch_numbers: batches })
  },
})

const unitTool = defineTool({
  name: 'unit',
  title: 'What happened to a unit',
  description:
    'The history of one unit of a production line: its verdict in each procedure, its runs and those of its sub-units with why they failed and whether that is the first time, its tree both ways, and its measured values among those of other units.',
  input: z.strictObject({ serial_number: FilterTextSchema.min(1) }),
  answer: (service, input) => readHistoryPage(service, '/line/unit', input),
})

export const READ_TOOLS: readonly Tool[] = [
  overviewTool,
  buildsTool,
  testsTool,
  errorsTool,
  compareTool,
  explainTool,
  lineTool,
  unitTool,
  runsTool,
]
