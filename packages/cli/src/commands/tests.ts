import { describeOutcome } from '@runledger/presentation'
import type { Command } from 'commander'
import { MAX_RESULTS } from '../ask/test-history'
import { DEFAULT_TESTS, listTests, MAX_TESTS, type TestList, type TestRecord } from '../ask/tests'
import { addFilterOptions, type FilterFlags, toFilter } from '../filter-options'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import type { Surface, Surroundings } from '../surroundings'
import { formatTable, shortenId } from '../table'
import { formatWhen } from '../when'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

type TestsFlags = ServiceFlags & FilterFlags

const HELP = `
Tests are looked for in the newest 100 failed runs and the newest 100 errors that the filters leave. Of each, its last
${MAX_RESULTS} results are counted; --branch and --since count there too, --group does not.`

/** `runledger tests`: tests that failed or were flaky, and how often. */
export function registerTests(program: Command, output: Output, surroundings: Surroundings): void {
  const command = program
    .command('tests')
    .description('List tests that failed or were flaky, the last one first, and how often they were.')
  addFilterOptions(command, {
    search: 'a part of the name or the file of the test',
    limit: DEFAULT_TESTS,
    maxLimit: MAX_TESTS,
  })
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print one line of JSON: {"data", "meta"}')
    .addHelpText('after', HELP)
    .action((flags: TestsFlags) => tests(flags, { output, surroundings }))
}

async function tests(flags: TestsFlags, { output, surroundings }: Surface): Promise<void> {
  const list = await withService(flags, surroundings, ({ client }) => listTests(client, toFilter(flags)))
  if (flags.json) return writeJson(output, list)
  if (list.data.length === 0) output.out('No test is found that failed or was flaky.')
  else output.out(formatTests(list, surroundings.columns))
  if (list.meta.has_more)
    output.err(
      'There may be more: only the newest failed runs and errors were looked at. Filters find others.',
    )
}

const HEADS = ['Failed', 'Flaky', 'Of', 'Last', 'When', 'Run', 'Test', 'File', 'Why']

function formatTests({ data }: TestList, columns: number | undefined): string {
  return formatTable(
    HEADS,
    data.map((test) => formatTest(test, columns)),
    columns,
  )
}

function formatTest(test: TestRecord, columns: number | undefined): string[] {
  const { name, file, message, history, last_failed: failed, last_flaky: flaky } = test
  const last = failed ?? flaky
  return [
    ...(history === null
      ? ['?', '?', '?', '?']
      : [
          ...[history.failed, history.flaky, history.results].map(String),
          describeOutcome(history.last_outcome).word,
        ]),
    formatWhen(last?.started_at ?? null),
    last === null ? '' : shortenId(last.run_id, columns),
    name,
    file ?? '',
    message ?? '',
  ]
}
