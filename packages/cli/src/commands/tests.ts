import {
  DEFAULT_TEST_DAYS,
  MAX_PAGE_LIMIT,
  MAX_TEST_DAYS,
  TEST_STATES,
  type Rate,
  type TestListItem,
} from '@runledger/protocol'
import { formatMicroseconds, formatShare } from '@runledger/presentation'
import { type Command, Option } from 'commander'
import { collect, parseLimit } from '../filter-options'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'
import { formatTable } from '../table'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

const SORTS = ['flaky', 'failing', 'slow', 'slower', 'cost', 'name'] as const
const DEFAULT_TESTS = 20

interface TestsFlags extends ServiceFlags {
  sort: (typeof SORTS)[number]
  branch?: string
  days?: number
  procedure?: string[]
  project?: string[]
  owner?: string[]
  tag?: string[]
  file?: string[]
  state?: (typeof TEST_STATES)[number][]
  search?: string
  limit?: number
  cursor?: string
}

const HELP = `
Failed: first attempts that failed, of "Of" results, with the 95 % interval. Flaky: results that passed after a failed attempt.
p50: median of passed first attempts. Cost: minutes of failed builds in which flaky results of this test alone were the failures.
Infrastructure builds and skipped results are left out.`

export function registerTests(program: Command, output: Output, context: CommandContext): void {
  program
    .command('tests')
    .description('List tests with how often they fail, how flaky and how slow they are.')
    .addOption(new Option('--sort <order>', 'what comes first').choices(SORTS).default('flaky'))
    .option('--branch <branch>', 'only results of this branch')
    .option('--days <number>', `days back (default: ${DEFAULT_TEST_DAYS})`, parseLimit(MAX_TEST_DAYS))
    .option('--procedure <id>', 'of this procedure, by its identifier or id; repeatable', collect)
    .option('--project <project>', 'of this project of a framework; repeatable', collect)
    .option('--owner <owner>', 'of this owner; repeatable', collect)
    .option('--tag <tag>', 'with this tag; repeatable', collect)
    .option('--file <file>', 'of this file; repeatable', collect)
    .addOption(new Option('--state <state...>', 'in these states').choices(TEST_STATES))
    .option('--search <text>', 'a part of the name or the file')
    .option('--limit <number>', `how many (default: ${DEFAULT_TESTS})`, parseLimit(MAX_PAGE_LIMIT))
    .option('--cursor <text>', 'continue after the previous page')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of GET /v2/tests on one line: {"data", "meta"}')
    .addHelpText('after', HELP)
    .action((flags: TestsFlags) => tests(flags, { output, context }))
}

async function tests(flags: TestsFlags, { output, context }: Surface): Promise<void> {
  const page = await withService(flags, context, ({ client }) => client.listTests({ query: toQuery(flags) }))
  if (flags.json) return writeJson(output, page)
  if (page.data.length === 0) return output.out('No test is found with results in the period.')
  output.out(formatTable(HEADS, page.data.map(formatTest), context.columns))
  output.out(HELP)
  if (page.meta.next_cursor !== null) output.err(`More: --cursor ${page.meta.next_cursor}`)
}

function toQuery(flags: TestsFlags) {
  return {
    sort_by: flags.sort,
    sort_order: flags.sort === 'name' ? ('asc' as const) : ('desc' as const),
    branch: flags.branch,
    days: flags.days,
    procedure_ids: flags.procedure,
    projects: flags.project,
    owners: flags.owner,
    tags: flags.tag,
    files: flags.file,
    states: flags.state,
    search_query: flags.search,
    limit: flags.limit ?? DEFAULT_TESTS,
    cursor: flags.cursor,
  }
}

const HEADS = ['State', 'Failed', 'Flaky', 'Of', 'p50', 'Change', 'Cost', 'Test', 'File', 'Owner']

function formatTest(test: TestListItem): string[] {
  const { p50_ms: p50, change, cost_minutes: cost } = test
  return [
    test.state,
    describeRate(test.failures),
    describeRate(test.flakes),
    String(test.results),
    p50 === null ? '' : formatMicroseconds(Math.round(p50 * 1000)),
    change === null ? '' : `${change.ratio > 0 ? '+' : '−'}${formatShare(Math.abs(change.ratio))}`,
    cost === 0 ? '' : `${cost.toFixed(1)} min`,
    test.name,
    test.file ?? '',
    test.owner ?? '',
  ]
}

/** `12 % (4–30)`. */
function describeRate({ rate, low, high }: Rate): string {
  if (rate === null || low === null || high === null) return ''
  const [from, to] = [low, high].map((share) => formatShare(share).replace(' %', ''))
  return `${formatShare(rate)} (${from}–${to})`
}
