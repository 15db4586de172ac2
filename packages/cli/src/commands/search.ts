import type { Command } from 'commander'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'
import { formatTable } from '../table'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

export function registerSearch(program: Command, output: Output, context: CommandContext): void {
  program
    .command('search <text>')
    .description('Search tests, builds, commits, branches, authors, owners, units, batches and errors.')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of GET /v2/search on one line: {"data"}')
    .action((text: string, flags: ServiceFlags) => search(text, flags, { output, context }))
}

async function search(text: string, flags: ServiceFlags, { output, context }: Surface): Promise<void> {
  const found = await withService(flags, context, ({ client }) => client.search({ query: { query: text } }))
  if (flags.json) return writeJson(output, found)
  if (found.data.length === 0) return output.out('Nothing found.')
  const rows = found.data.map(({ kind, title, detail, id }) => [kind, title, detail ?? '', id])
  output.out(formatTable(['Kind', 'Name', 'Where', 'Id'], rows, context.columns))
}
