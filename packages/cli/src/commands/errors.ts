import { DEFAULT_PAGE_LIMIT, type ErrorListItem, type Page } from '@runledger/protocol'
import { firstLine } from '@runledger/presentation'
import type { Command } from 'commander'
import { listErrors } from '../ask/errors'
import { addFilterOptions, addPageOptions, type FilterFlags, toFilter } from '../filter-options'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'
import { formatTable, shortenId } from '../table'
import { formatWhen } from '../when'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

type ErrorsFlags = ServiceFlags & FilterFlags

export function registerErrors(program: Command, output: Output, context: CommandContext): void {
  const command = program
    .command('errors')
    .description('List the errors of failed tests, most recent first. Equal errors are one row.')
  addPageOptions(
    addFilterOptions(command, { search: 'a part of the error’s message', limit: DEFAULT_PAGE_LIMIT }),
  )
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of GET /v2/errors on one line: {"data", "meta"}')
    .addHelpText('after', '\nOnly runs that match the filters count.')
    .action((flags: ErrorsFlags) => errors(flags, { output, context }))
}

async function errors(flags: ErrorsFlags, { output, context }: Surface): Promise<void> {
  const page = await withService(flags, context, ({ client }) => listErrors(client, toFilter(flags)))
  if (flags.json) return writeJson(output, page)
  if (page.data.length === 0) return output.out('No errors found.')
  output.out(formatErrors(page, context.columns))
  if (page.meta.next_cursor !== null) output.err(`More: --cursor ${page.meta.next_cursor}`)
}

const HEADS = ['Times', 'Tests', 'First', 'Last', 'Last run', 'Error', 'Test', 'Branches']

function formatErrors({ data }: Page<ErrorListItem>, columns: number | undefined): string {
  const rows = data.map((error) => [
    String(error.count),
    String(error.tests_count),
    formatWhen(error.first_run.started_at),
    formatWhen(error.last_run.started_at),
    shortenId(error.last_run.id, columns),
    firstLine(error.message),
    nameTests(error),
    error.branches.join(', '),
  ])
  return formatTable(HEADS, rows, columns)
}

/** The test with the most occurrences, and the number of other tests. */
function nameTests({ tests: [first], tests_count: count }: ErrorListItem): string {
  if (!first) return ''
  return count > 1 ? `${first.name} (+${count - 1})` : first.name
}
