import { DATA_FOLDER } from '@runledger/protocol'
import type { DataCheck } from '@runledger/server'
import path from 'node:path'
import { refuseDistrusted } from './refuse-distrusted'
import type { CommandContext } from './command-context'
import { count, formatBytes } from './table'

/** The option by which commands that need no service are told where its data are. */
export const DATA_OPTION = [
  '--data <folder>',
  'the folder of the service (RUNLEDGER_DATA; default: .runledger)',
] as const

/** The data folder that `runledger serve` would use here. @throws CommandError for one that the user did not name and another user may have made */
export function findDataFolder(data: string | undefined, { env, cwd }: CommandContext): string {
  const named = data?.trim() || env['RUNLEDGER_DATA']?.trim()
  const folder = path.resolve(cwd, named || DATA_FOLDER)
  if (!named) refuseDistrusted(folder, env)
  return folder
}

export function describeCounts({
  runs,
  attachments,
  bytes,
}: Pick<DataCheck, 'runs' | 'attachments' | 'bytes'>): string {
  return `${count(runs, 'run')}, ${count(attachments, 'attachment')} (${formatBytes(bytes)})`
}

export function describeProblems({ problems, problem_count: all }: DataCheck): string[] {
  if (all === 0) return ['No problems.']
  const more = all > problems.length ? [`  … and ${all - problems.length} more`] : []
  return [
    `${count(all, 'problem')}:`,
    ...problems.map(({ kind, message }) => `  ${kind}: ${message}`),
    ...more,
  ]
}
