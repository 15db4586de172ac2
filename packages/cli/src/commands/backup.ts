import type { Backup } from '@runledger/server'
import type { Command } from 'commander'
import path from 'node:path'
import { ReportedError } from '../command-error'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'
import { count, formatBytes } from '../table'
import { DATA_OPTION, describeCounts, findDataFolder } from '../data-folder'

interface BackupFlags {
  data?: string
  json?: boolean
}

export function registerBackup(program: Command, output: Output, context: CommandContext): void {
  program
    .command('backup')
    .description('Copy the data of a service, which may go on meanwhile.')
    .argument('<dir>', 'a new folder, or a former backup, which takes what is new')
    .option(...DATA_OPTION)
    .option(
      '--json',
      'print one line of JSON: {"runs", "attachments", "bytes", "copied_bytes", "missing", …}',
    )
    .addHelpText(
      'after',
      '\nExit code 1 also when the service has lost bytes, which the backup then lacks too.' +
        '\nA backup has no readable key in it. Restore it with "runledger restore".',
    )
    .action((dir: string, flags: BackupFlags) => backup(dir, flags, { output, context }))
}

async function backup(dir: string, flags: BackupFlags, { output, context }: Surface): Promise<void> {
  const { backUp } = await import('@runledger/server')
  const target = path.resolve(context.cwd, dir)
  const made = await backUp(findDataFolder(flags.data, context), target)
  if (flags.json) writeJson(output, made)
  else output.out(describe(target, made))
  if (made.missing.length === 0) return
  if (!flags.json) output.err(describeMissing(made.missing))
  throw new ReportedError()
}

function describe(target: string, made: Backup): string {
  const { database_bytes: database, copied_blobs: copied, copied_bytes: bytes } = made
  return [
    `${target}: ${describeCounts(made)}, database ${formatBytes(database)}`,
    `Copied ${count(copied, 'new file')} (${formatBytes(bytes)}).`,
  ].join('\n')
}

function describeMissing(missing: readonly string[]): string {
  const what = `${count(missing.length, 'file')} of attachments ${missing.length === 1 ? 'is' : 'are'} lost`
  return `Warning: ${what}, here and in the backup. "runledger check" lists them.`
}
