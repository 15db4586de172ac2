import {
  describeDropped,
  findSpools,
  uploadSpool,
  type FoundSpool,
  type SpoolUpload,
  type SweptEntry,
  toPlainLine,
} from '@runledger/core/tools'
import type { Command } from 'commander'
import path from 'node:path'
import { type Output, writeJson } from '../output'
import { ProgressBar } from '../progress-bar'
import type { Surroundings } from '../surroundings'
import { count, formatTable } from '../table'

interface UploadFlags {
  url?: string
  json?: boolean
}

/** Thrown when something is left; what it was has been told. */
export class LeftoverError extends Error {
  override name = 'LeftoverError'
}

/** `runledger upload`: sends the runs that wait in the spool. */
export function registerUpload(program: Command, output: Output, surroundings: Surroundings): void {
  program
    .command('upload')
    .description('Send the runs that could not be delivered when their tests ended.')
    .argument('[dir]', 'a project, or a spool folder (default: this folder)')
    .option('--url <url>', 'send everything to this service, whichever it was meant for')
    .option('--json', 'print one line of JSON: {"sent", "waiting", "set_aside", "dropped"}')
    .addHelpText('after', '\nExit code 0 only when nothing is left to be sent.')
    .action((dir: string | undefined, flags: UploadFlags) => upload(dir, flags, { output, surroundings }))
}

interface Surface {
  output: Output
  surroundings: Surroundings
}

async function upload(dir: string | undefined, flags: UploadFlags, surface: Surface): Promise<void> {
  const { output, surroundings } = surface
  const spools = await findSpools(path.resolve(surroundings.cwd, dir ?? '.'), surroundings.env)
  const result = await uploadAll(spools, flags, surface)
  if (flags.json) writeJson(output, toRecord(result))
  else output.out(describeUpload(result))
  if (result.swept.some(({ status }) => status === 'waits' || status === 'busy')) throw new LeftoverError()
}

async function uploadAll(
  spools: readonly FoundSpool[],
  { url, json }: UploadFlags,
  { output, surroundings: { env, terminal } }: Surface,
): Promise<SpoolUpload> {
  const bar = terminal && !json ? new ProgressBar(terminal) : undefined
  const uploads: SpoolUpload[] = []
  const tell = (entry: SweptEntry): void => {
    if (bar) bar.step(nameOf(entry))
    else if (!json) output.err(`${WORDS[entry.status]} ${nameOf(entry)}`)
  }
  try {
    for (const spool of spools) {
      const options = url === undefined ? {} : { url }
      uploads.push(
        await uploadSpool(spool, { options, env, onStart: (total) => bar?.expect(total), onEntry: tell }),
      )
    }
  } finally {
    bar?.clear()
  }
  return { swept: uploads.flatMap(({ swept }) => swept), dropped: uploads.flatMap(({ dropped }) => dropped) }
}

const WORDS = { sent: 'sent', waits: 'stays', busy: 'busy', 'set-aside': 'set aside' } as const

function describeUpload({ swept, dropped }: SpoolUpload): string {
  if (swept.length === 0) return 'Nothing waits to be sent.'
  const rows = swept.map((entry) => [
    WORDS[entry.status],
    nameOf(entry),
    (entry.status === 'sent' ? entry.url : entry.reason) ?? '',
  ])
  const left = swept.filter(({ status }) => status !== 'sent').length
  const sentences = [
    `${count(swept.length - left, 'run')} sent${left > 0 ? `, ${left} not` : ''}.`,
    ...dropped.map((entry) => `${describeDropped(entry)}.`),
  ]
  return [formatTable(['', 'run', 'address, or why it stays'], rows), '', ...sentences].join('\n')
}

function nameOf({ entry, submissionId }: SweptEntry): string {
  const variables = entry?.request.report_variables
  const name = [variables?.['project'], variables?.['file']].filter(Boolean).join(' › ')
  return toPlainLine(name) || submissionId
}

function toRecord({ swept, dropped }: SpoolUpload) {
  const pick = (...statuses: SweptEntry['status'][]) =>
    swept
      .filter(({ status }) => statuses.includes(status))
      .map((entry) => ({
        submission_id: entry.submissionId,
        file: entry.entry?.request.report_variables?.['file'] ?? null,
        url: entry.url ?? null,
        refused: entry.isRefused,
        reason: entry.reason ?? null,
      }))
  return {
    sent: pick('sent'),
    waiting: pick('waits', 'busy'),
    set_aside: pick('set-aside'),
    dropped: dropped.map(({ submissionId, reason }) => ({ submission_id: submissionId, reason })),
  }
}
