import type { AuditEntry } from '@runledger/protocol'
import { type Command, Option } from 'commander'
import { readPages } from '../ask/pages'
import type { CommandContext, Surface } from '../command-context'
import { addListOptions, collect, parseTime } from '../filter-options'
import { SINCE } from '../ask/filter'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import { formatTable } from '../table'
import { formatWhen } from '../when'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface AuditFlags extends ServiceFlags {
  search?: string
  operation?: string[]
  since?: string
  limit?: number
  cursor?: number
  all?: boolean
}

export function registerAudit(program: Command, output: Output, context: CommandContext): void {
  addListOptions(
    program
      .command('audit')
      .description('List who changed what on the service, newest first. This needs the key of an admin.')
      .option('--search <text>', 'entries with this text in the name of who changed, or what was changed')
      .option('--operation <name>', 'entries of this operation, such as deleteRuns; repeatable', collect)
      .option('--since <time>', `entries after it: ${SINCE}`, parseTime),
  )
    .addOption(
      new Option('--all', 'print all entries, one JSON object on each line').conflicts(['limit', 'cursor']),
    )
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of GET /v2/audit on one line: {"data", "meta"}')
    .action((flags: AuditFlags) => audit(flags, { output, context }))
}

async function audit(flags: AuditFlags, { output, context }: Surface): Promise<void> {
  const { search, operation: operations, since, limit, cursor } = flags
  const filter = { search_query: search, operations, created_after: since }
  if (flags.all) return exportAll(filter, flags, { output, context })
  const page = await withService(flags, context, ({ client }) =>
    client.listAuditEntries({ query: { ...filter, limit, cursor } }),
  )
  if (flags.json) return writeJson(output, page)
  if (page.data.length === 0) return output.out('No entries found.')
  output.out(formatTable(HEADS, page.data.map(formatEntry), context.columns))
  if (page.meta.next_cursor !== null) output.err(`More: --cursor ${page.meta.next_cursor}`)
}

interface AuditFilter {
  search_query: string | undefined
  operations: string[] | undefined
  created_after: string | undefined
}

async function exportAll(
  filter: AuditFilter,
  flags: AuditFlags,
  { output, context }: Surface,
): Promise<void> {
  await withService(flags, context, async ({ client }) => {
    const pages = readPages(
      (cursor: number | undefined) => client.listAuditEntries({ query: { ...filter, limit: 100, cursor } }),
      Infinity,
    )
    for await (const page of pages) for (const entry of page) writeJson(output, entry)
  })
}

const HEADS = ['When', 'Who', 'Key', 'From', 'Operation', 'What', 'Changed']

function formatEntry({
  created_at,
  actor,
  address,
  operation,
  subject,
  before,
  after,
}: AuditEntry): string[] {
  return [
    formatWhen(created_at),
    actor.name ?? actor.kind,
    actor.key?.name ?? '',
    address ?? '',
    operation,
    `${subject.kind} ${subject.name}`,
    [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].join(', '),
  ]
}
