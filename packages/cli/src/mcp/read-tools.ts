import { CUT_MARK, FilterTextSchema, type Page, type RunListItem } from '@runledger/protocol'
import { normalizeServiceUrl, type Service } from '@runledger/core/tools'
import { code, codeBlock, formatRunList } from '@runledger/presentation'
import * as z from 'zod'
import { type AttachmentText, MAX_TEXT_BYTES, readAttachmentText } from '../ask/attachment'
import { listErrors } from '../ask/errors'
import { formatErrorList, formatTestList, formatVerdicts } from '../ask/markdown'
import { compareWithEarlier, findRunId, readGroupPage, readRunPage } from '../ask/run'
import { listRuns } from '../ask/runs'
import { MAX_RESULTS } from '../ask/test-history'
import { DEFAULT_TESTS, listTests, MAX_TESTS } from '../ask/tests'
import { CommandError } from '../command-error'
import { filterFields, limitOf, pageFields, RunSchema } from './inputs'
import { defineTool, type Tool } from './tool'

const GROUP = 'One execution or CI build: the report variable `group` of its runs'

const listRunsTool = defineTool({
  name: 'list_runs',
  title: 'List test runs',
  description:
    'Lists runs, newest first: outcome, file, when, first error. A run is what one test file came to in one execution.',
  input: z.strictObject({
    ...filterFields,
    ...pageFields,
    search: FilterTextSchema.optional().describe(
      'A text in ids, serial numbers, files, branches, commits, procedures',
    ),
  }),
  answer: async (service, filter) => formatRuns(await listRuns(service.client, filter), service),
})

function formatRuns({ data, meta }: Page<RunListItem>, { url }: Service): string {
  return formatRunList({
    runs: data,
    filter: [],
    group: undefined,
    nextAddress: meta.next_cursor === null ? undefined : `ask again with \`cursor\` ${meta.next_cursor}`,
    linkRun: ({ id }) => `${normalizeServiceUrl(url)}/runs/${id}`,
  })
}

const getRunTool = defineTool({
  name: 'get_run',
  title: 'Get a test run',
  description:
    'Tells why a run failed: errors with differences, code and stacks, earlier attempts, flaky and skipped tests, the end of the log, the names of attachments.',
  input: z.strictObject({ run: RunSchema }),
  answer: async (service, { run }) => readRunPage(service, await findRunId(service.client, run)),
})

const getGroupTool = defineTool({
  name: 'get_group',
  title: 'Get all runs of an execution',
  description:
    'Tells what an execution or CI build came to: whether all of it is on record and what is missing, counts, failed tests with their errors, flaky and slow ones.',
  input: z.strictObject({ group: FilterTextSchema.min(1).describe(GROUP) }),
  answer: (service, { group }) => readGroupPage(service, group),
})

const compareTool = defineTool({
  name: 'compare_with_earlier',
  title: 'Tell new failures from old ones',
  description:
    'Tells of each failure of a run, or of all runs of a group, whether it is new, already failing (and since when), flaky, or seen for the first time; of a unit on a bench, whether it failed at this step before, passed after rework, and how often other units fail at it.',
  input: z
    .strictObject({ run: RunSchema.optional(), group: FilterTextSchema.min(1).optional().describe(GROUP) })
    .refine(
      ({ run, group }) => (run === undefined) !== (group === undefined),
      'name either a run or a group',
    ),
  answer: async ({ client }, { run, group = '' }) => {
    const of = run === undefined ? { group } : { ids: [await findRunId(client, run)] }
    const verdicts = await compareWithEarlier(client, of)
    if (!verdicts) throw new CommandError('this service does not compare runs')
    return formatVerdicts(verdicts)
  },
})

const listErrorsTool = defineTool({
  name: 'list_errors',
  title: 'List why tests fail',
  description:
    'Lists errors of tests, those that are the same but for numbers and the like as one, the one that happened last first: how often, in which tests, first and last run, branches.',
  input: z.strictObject({
    ...filterFields,
    ...pageFields,
    search: FilterTextSchema.optional().describe('A part of the message'),
  }),
  answer: async ({ client }, filter) => formatErrorList(await listErrors(client, filter)),
})

const findTestsTool = defineTool({
  name: 'find_tests',
  title: 'Find failing and flaky tests',
  description: `Finds tests that failed or were flaky, in the newest 100 failed runs and 100 errors that the filters leave, the last one first: how often in their last ${MAX_RESULTS} results, and when last.`,
  input: z.strictObject({
    ...filterFields,
    search: FilterTextSchema.optional().describe('A part of the name or the file of the test'),
    limit: limitOf(MAX_TESTS, DEFAULT_TESTS),
  }),
  answer: async ({ client }, filter) => formatTestList(await listTests(client, filter)),
})

const getAttachmentTool = defineTool({
  name: 'get_attachment_text',
  title: 'Read a log',
  description: `Reads at most ${MAX_TEXT_BYTES} bytes of an attachment that is text: the end of it, or from \`offset\` on.`,
  input: z.strictObject({
    run: RunSchema,
    name: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe('Name of the attachment; left out, the log of the test file'),
    offset: z.int().min(0).optional().describe('Byte to begin with; left out, the end is read'),
  }),
  answer: async (service, { run, name, offset }) => {
    const runId = await findRunId(service.client, run)
    return formatAttachmentText(await readAttachmentText(service, { runId, name, offset }))
  },
})

function formatAttachmentText({ name, text, start, end, size }: AttachmentText): string {
  const facts = [
    size === 0 ? 'It is empty.' : `Bytes ${start} to ${end} of ${size}.`,
    start > 0 ? `What is before: \`offset\` ${Math.max(0, start - MAX_TEXT_BYTES)}.` : '',
    end < size ? `What follows: \`offset\` ${end}.` : '',
  ].filter((fact) => fact !== '')
  // Room for all of it: replaced bytes take three each.
  const block = size === 0 ? '' : `\n\n${codeBlock(text, '', 3 * MAX_TEXT_BYTES + CUT_MARK.length)}`
  return `# ${code(name)}\n\n${facts.join(' ')}${block}\n`
}

/** Tools that change nothing. */
export const READ_TOOLS: readonly Tool[] = [
  listRunsTool,
  getRunTool,
  getGroupTool,
  compareTool,
  listErrorsTool,
  findTestsTool,
  getAttachmentTool,
]
