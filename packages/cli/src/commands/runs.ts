import { toPlainLine } from '@runledger/core/tools'
import { DEFAULT_PAGE_LIMIT, describeBuild, type Page, type RunListItem } from '@runledger/protocol'
import { firstLine, nameRun, formatOutcome } from '@runledger/presentation'
import type { Command } from 'commander'
import { findBuild } from '../ask/run'
import { listRuns, readVariable } from '../ask/runs'
import { addFilterOptions, addPageOptions, type FilterFlags, toFilter } from '../filter-options'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface, CommandContext } from '../command-context'
import { cutText, formatTable, shortenId } from '../table'
import { formatWhen } from '../when'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

type RunsFlags = ServiceFlags & FilterFlags

const SEARCH = 'in ids, serial numbers, files, branches, commits and procedures, as the dashboard searches'

export function registerRuns(program: Command, output: Output, context: CommandContext): void {
  const command = program.command('runs').description('List runs, newest first.')
  addPageOptions(addFilterOptions(command, { search: SEARCH, limit: DEFAULT_PAGE_LIMIT }))
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option(
      '--json',
      'print the JSON of GET /v2/runs on one line: {"data", "meta"}; with --group "build" too',
    )
    .action((flags: RunsFlags) => runs(flags, { output, context }))
}

async function runs(flags: RunsFlags, { output, context }: Surface): Promise<void> {
  const { group } = flags
  const { page, build } = await withService(flags, context, async ({ client }) => ({
    page: await listRuns(client, toFilter(flags)),
    build: group === undefined ? undefined : await findBuild(client, group),
  }))
  if (flags.json) return writeJson(output, group === undefined ? page : { ...page, build: build ?? null })
  if (build) output.out(toPlainText(`Build ${describeBuild(build)}`))
  if (page.data.length === 0) return output.out('No runs found.')
  output.out(formatRuns(page, context.columns))
  if (page.meta.next_cursor !== null) output.err(`More: --cursor ${page.meta.next_cursor}`)
}

function formatRuns({ data }: Page<RunListItem>, columns: number | undefined): string {
  const packages = data.map((run) => readVariable(run, 'package') ?? '')
  const isShown = new Set(packages).size > 1
  const errors = data.map((run) => firstLine(run.first_error ?? ''))
  // A terminal has no room for it in the row.
  const isInRow = columns === undefined
  const rows = data.map((run, index) => [
    shortenId(run.id, columns),
    formatWhen(run.started_at),
    formatOutcome(run),
    ...(isShown ? [packages[index] ?? ''] : []),
    nameRun(run),
    readVariable(run, 'git_branch') ?? '',
    ...(isInRow ? [errors[index] ?? ''] : []),
  ])
  const heads = [
    'Run',
    'Started',
    'Outcome',
    ...(isShown ? ['Package'] : []),
    'File',
    'Branch',
    ...(isInRow ? ['First error'] : []),
  ]
  const table = formatTable(heads, rows, columns)
  if (isInRow) return table
  const lines = table.split('\n')
  return lines
    .flatMap((line, index) => [line, ...writeError(index === 0 ? undefined : errors[index - 1], columns)])
    .join('\n')
}

const INDENT = '  '

/** A line of its own below the run. */
function writeError(error: string | undefined, columns: number): string[] {
  return error ? [INDENT + cutText(toPlainLine(error), columns - INDENT.length)] : []
}
