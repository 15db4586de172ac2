import type { BuildListItem } from '@runledger/protocol'
import type { Command } from 'commander'
import { addListOptions, collect } from '../filter-options'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'
import { formatTable } from '../table'
import { formatWhen } from '../when'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface BuildsFlags extends ServiceFlags {
  branch?: string[]
  author?: string[]
  limit?: number
  cursor?: number
}

export function registerBuilds(program: Command, output: Output, context: CommandContext): void {
  addListOptions(
    program
      .command('builds')
      .description('List builds, newest first.')
      .option('--branch <branch>', 'builds of this branch; repeatable', collect)
      .option('--author <author>', 'builds of this author; repeatable', collect),
  )
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of GET /v2/builds on one line: {"data", "meta"}')
    .action((flags: BuildsFlags) => builds(flags, { output, context }))
}

async function builds(flags: BuildsFlags, { output, context }: Surface): Promise<void> {
  const { branch: branches, author: authors, limit, cursor } = flags
  const page = await withService(flags, context, ({ client }) =>
    client.listBuilds({ query: { branches, authors, limit, cursor } }),
  )
  if (flags.json) return writeJson(output, page)
  if (page.data.length === 0) return output.out('No builds found.')
  output.out(formatTable(HEADS, page.data.map(formatBuild), context.columns))
  if (page.meta.next_cursor !== null) output.err(`More: --cursor ${page.meta.next_cursor}`)
}

const HEADS = ['State', 'Passed', 'Failed', 'Flaky', 'Started', 'Build', 'Branch', 'Commit', 'Author']
const SHORT_COMMIT = 9

function formatBuild({ tests, is_infrastructure: isInfrastructure, ...build }: BuildListItem): string[] {
  return [
    isInfrastructure ? `${build.state} (infrastructure)` : build.state,
    ...[tests.passed, tests.failed, tests.flaky].map(String),
    formatWhen(build.started_at),
    build.group,
    build.branch ?? '',
    (build.commit ?? '').slice(0, SHORT_COMMIT),
    build.author ?? '',
  ]
}
