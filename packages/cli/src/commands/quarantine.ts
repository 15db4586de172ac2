import { toPlainLine } from '@runledger/core/tools'
import { firstLine } from '@runledger/presentation'
import {
  type AddToQuarantineRequest,
  type Client,
  MAX_PAGE_LIMIT,
  MAX_QUARANTINE_DAYS,
  type QuarantineEntry,
  type TestDetail,
} from '@runledger/protocol'
import type { Command } from 'commander'
import { findListedId, findTestId } from '../ask/history-pages'
import { readAll } from '../ask/pages'
import { CommandError, UsageError } from '../command-error'
import type { CommandContext, Surface } from '../command-context'
import { collect, parseLimit } from '../filter-options'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import { formatTable, shortenId } from '../table'
import { formatWhen } from '../when'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

const HELP = `
An entry is a test with one of its errors, until its end. It changes the exit code only of executions with quarantine: true, and only
if everything that failed there has a live entry.`

const JSON_OPTION = ['--json', 'print the entry as one line of JSON'] as const
const DAYS_OPTION = [
  '--days <number>',
  `ends that many days from now, at most ${MAX_QUARANTINE_DAYS}`,
  parseLimit(MAX_QUARANTINE_DAYS),
] as const

export function registerQuarantine(program: Command, output: Output, context: CommandContext): void {
  const surface = { output, context }
  const quarantine = program
    .command('quarantine')
    .description('List, add, extend and end quarantine entries: known errors of tests.')
    .addHelpText('after', HELP)
  quarantine
    .command('list', { isDefault: true })
    .description('List the live entries, newest first.')
    .option('--ended', 'also those that have ended')
    .option('--procedure <id>', 'of this procedure, by its identifier or id; repeatable', collect)
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print one line of JSON: a list of entries as GET /v2/quarantine has them')
    .action((flags: ListFlags) => list(flags, surface))
  quarantine
    .command('add')
    .description('Quarantine a test with one of its errors. This needs the key of a member.')
    .argument('<test>', 'its id, or a part of its name that no other test has')
    .option('--error <fingerprint>', 'the error, by its fingerprint or the beginning of it')
    .option('--any-error', 'every error of the test, also those that it has never had')
    .requiredOption('--owner <owner>', 'who answers for it, such as @cart-team')
    .requiredOption('--reason <text>', 'why')
    .option('--link <url>', 'where it is worked on, such as an issue')
    .requiredOption(...DAYS_OPTION)
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option(...JSON_OPTION)
    .action((test: string, flags: AddFlags) => add(test, flags, surface))
  quarantine
    .command('extend')
    .description('Move the end of a live entry. This needs the key of a member.')
    .argument('<id>', 'its id, or the beginning of it')
    .requiredOption(...DAYS_OPTION)
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option(...JSON_OPTION)
    .action((id: string, flags: ExtendFlags) => extend(id, flags, surface))
  quarantine
    .command('end')
    .description('End a live entry now. It stays on record. This needs the key of a member.')
    .argument('<id>', 'its id, or the beginning of it')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option(...JSON_OPTION)
    .action((id: string, flags: ServiceFlags) => end(id, flags, surface))
}

interface ListFlags extends ServiceFlags {
  ended?: boolean
  procedure?: string[]
}

interface ExtendFlags extends ServiceFlags {
  days: number
}

interface AddFlags extends ExtendFlags {
  error?: string
  anyError?: boolean
  owner: string
  reason: string
  link?: string
}

async function list(flags: ListFlags, { output, context }: Surface): Promise<void> {
  const { ended, procedure } = flags
  const entries = await withService(flags, context, ({ client }) =>
    listEntries(client, { ended, procedure_ids: procedure }),
  )
  if (flags.json) return writeJson(output, entries)
  if (entries.length === 0) return output.out('No test is in quarantine.')
  const rows = entries.map((entry) => formatEntry(entry, context.columns))
  output.out(formatTable(HEADS, rows, context.columns))
}

function listEntries(
  client: Client,
  filter: { ended?: boolean | undefined; procedure_ids?: string[] | undefined },
): Promise<QuarantineEntry[]> {
  return readAll((cursor) => client.listQuarantine({ query: { ...filter, limit: MAX_PAGE_LIMIT, cursor } }))
}

const HEADS = ['Id', 'Until', 'Failures', 'Owner', 'Test', 'File', 'Error', 'Reason', 'By']

function formatEntry(entry: QuarantineEntry, columns: number | undefined): string[] {
  return [
    shortenId(entry.id, columns),
    entry.is_live ? formatWhen(entry.ends_at) : `ended ${formatWhen(entry.ends_at)}`,
    String(entry.failures),
    entry.owner,
    entry.test.name,
    entry.test.file ?? '',
    nameError(entry),
    firstLine(entry.reason),
    entry.extended_by ?? entry.created_by ?? '',
  ]
}

function nameError({ fingerprint, message }: QuarantineEntry): string {
  return fingerprint === null ? 'any error' : firstLine(message ?? fingerprint)
}

async function add(given: string, flags: AddFlags, { output, context }: Surface): Promise<void> {
  if (flags.anyError && flags.error !== undefined)
    throw new UsageError('give --error or --any-error, not both')
  const entry = await withService(flags, context, async ({ client }) => {
    const test = await client.getTest({ params: { id: await findTestId(client, given) } })
    const body: AddToQuarantineRequest = {
      test_id: test.id,
      fingerprint: flags.anyError ? undefined : findFingerprint(test, flags.error),
      any_error: flags.anyError ?? false,
      owner: flags.owner,
      reason: flags.reason,
      link: flags.link,
      ends_at: addDays(flags.days),
    }
    return client.addToQuarantine({ body })
  })
  report(entry, flags, output)
}

const FINGERPRINT = /^[\da-f]{64}$/

/** @throws CommandError for none, an unknown one and the beginning of several */
function findFingerprint({ name, errors }: TestDetail, given: string | undefined): string {
  const wanted = given?.toLowerCase()
  if (wanted !== undefined && FINGERPRINT.test(wanted)) return wanted
  const found = errors.filter(({ fingerprint }) => wanted !== undefined && fingerprint.startsWith(wanted))
  const [one] = found
  if (one && found.length === 1) return one.fingerprint
  const problem =
    wanted === undefined
      ? 'name the error with --error, or give --any-error'
      : `"${wanted}" means ${found.length === 0 ? 'no error' : 'several errors'} of "${name}"`
  const known = (found.length > 0 ? found : errors).map(
    ({ fingerprint, message }) => `${fingerprint.slice(0, SHOWN)}  ${firstLine(message)}`,
  )
  throw new CommandError(
    [`${problem}. Its errors:`, ...(known.length > 0 ? known : ['none is on record'])].join('\n'),
  )
}

const SHOWN = 12

async function extend(given: string, flags: ExtendFlags, { output, context }: Surface): Promise<void> {
  const entry = await withService(flags, context, async ({ client }) =>
    client.updateQuarantine({
      params: { id: await findEntryId(client, given) },
      body: { ends_at: addDays(flags.days) },
    }),
  )
  report(entry, flags, output)
}

async function end(given: string, flags: ServiceFlags, { output, context }: Surface): Promise<void> {
  const entry = await withService(flags, context, async ({ client }) =>
    client.endQuarantine({ params: { id: await findEntryId(client, given) } }),
  )
  report(entry, flags, output)
}

function findEntryId(client: Client, given: string): Promise<string> {
  return findListedId(given, () => listEntries(client, {}), ['live entry', 'live entries'])
}

/** A day has 24 hours here: the service counts the same way. */
function addDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString()
}

function report(entry: QuarantineEntry, { json }: ServiceFlags, output: Output): void {
  if (json) return writeJson(output, entry)
  const state = entry.is_live ? `In quarantine until ${formatWhen(entry.ends_at)}` : 'No longer in quarantine'
  output.out(toPlainLine(`${state}: ${entry.test.name}, ${nameError(entry)} (${entry.id})`))
}
