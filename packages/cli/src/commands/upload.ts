import {
  describeDropped,
  describeIgnoredHomes,
  findSpools,
  uploadSpool,
  type FoundSpool,
  toPlainLine,
  type BacklogResult,
  type SpoolUpload,
} from '@runledger/core/tools'
import type { Command } from 'commander'
import { ReportedError } from '../command-error'
import { type Output, writeJson } from '../output'
import { ProgressBar } from '../progress-bar'
import type { Surface, CommandContext } from '../command-context'
import { count, formatTable } from '../table'
import { findFolder, SPOOL_DIR_OPTION } from '../find-folder'
import { withoutSwitch } from '../with-service'

interface UploadFlags {
  dir?: string
  url?: string
  json?: boolean
}

export function registerUpload(program: Command, output: Output, context: CommandContext): void {
  program
    .command('upload')
    .description('Send the runs that could not be delivered when their tests ended.')
    .option('--url <url>', 'send everything to this service, whichever it was meant for')
    .option(...SPOOL_DIR_OPTION)
    .option('--json', 'print one line of JSON: {"sent", "waiting", "quarantined", "dropped"}')
    .addHelpText('after', '\nExit code 0 only when nothing is left to be sent.')
    .action((flags: UploadFlags) => upload(flags, { output, context }))
}

async function upload(flags: UploadFlags, surface: Surface): Promise<void> {
  const { output, context } = surface
  const spools = await findSpools(findFolder(flags.dir, context.cwd), context.env, context.cwd)
  for (const sentence of describeIgnoredHomes(context.env)) output.err(toPlainLine(sentence))
  const result = await uploadAll(spools, flags, surface)
  if (flags.json) writeJson(output, toRecord(result))
  else output.out(describeUpload(result))
  if (result.results.some(({ status }) => status === 'waits' || status === 'busy')) throw new ReportedError()
}

async function uploadAll(
  spools: readonly FoundSpool[],
  { url, json }: UploadFlags,
  { output, context: { env, terminal } }: Surface,
): Promise<SpoolUpload> {
  const bar = terminal && !json ? new ProgressBar(terminal) : undefined
  const uploads: SpoolUpload[] = []
  const onResult = (result: BacklogResult): void => {
    if (bar) bar.step(nameOf(result))
    else if (!json) output.err(`${WORDS[result.status]} ${nameOf(result)}`)
  }
  try {
    for (const spool of spools) {
      const options = url === undefined ? {} : { url }
      const onStart = (runs: number): void => bar?.expect(runs)
      uploads.push(await uploadSpool(spool, { options, env: withoutSwitch(env), onStart, onResult }))
    }
  } finally {
    bar?.clear()
  }
  return {
    results: uploads.flatMap(({ results }) => results),
    dropped: uploads.flatMap(({ dropped }) => dropped),
  }
}

const WORDS = { sent: 'sent', waits: 'stays', busy: 'busy', quarantined: 'quarantined' } as const

function describeUpload({ results, dropped }: SpoolUpload): string {
  if (results.length === 0) return 'Nothing waits to be sent.'
  const rows = results.map((result) => [
    WORDS[result.status],
    nameOf(result),
    (result.status === 'sent' ? [result.url, result.reason] : [result.reason]).filter(Boolean).join('; '),
  ])
  const left = results.filter(({ status }) => status !== 'sent').length
  const sentences = [
    `${count(results.length - left, 'run')} sent${left > 0 ? `, ${left} not` : ''}.`,
    ...describeElsewhere(results),
    ...dropped.map((each) => `${describeDropped(each)}.`),
  ]
  return [formatTable(['', 'run', 'address, or why it stays'], rows), '', ...sentences].join('\n')
}

const ID_LENGTH = 8
const MAX_IDS = 5

/** Runs for other services stay until somebody redirects them, or drops them. */
function describeElsewhere(results: readonly BacklogResult[]): string[] {
  const ids = results.filter(({ isElsewhere }) => isElsewhere).map(({ id }) => id.slice(0, ID_LENGTH))
  if (ids.length === 0) return []
  const named = ids.length > MAX_IDS ? '<ids of npx runledger spool list>' : ids.join(' ')
  return [`To drop what is for another service: npx runledger spool drop ${named}`]
}

function nameOf({ request, id }: BacklogResult): string {
  const variables = request?.report_variables
  const name = [variables?.['project'], variables?.['file']].filter(Boolean).join(' › ')
  return toPlainLine(name) || id
}

function toRecord({ results, dropped }: SpoolUpload) {
  const pick = (...statuses: BacklogResult['status'][]) =>
    results
      .filter(({ status }) => statuses.includes(status))
      .map(({ id, isExecution, request, url, isRefused, reason }) => ({
        submission_id: isExecution ? null : id,
        ...(isExecution && { execution_id: id }),
        file: request?.report_variables?.['file'] ?? null,
        url: url ?? null,
        refused: isRefused,
        reason: reason ?? null,
      }))
  return {
    sent: pick('sent'),
    waiting: pick('waits', 'busy'),
    quarantined: pick('quarantined'),
    dropped: dropped.map(({ executionId, runs, reason }) => ({ execution_id: executionId, runs, reason })),
  }
}
