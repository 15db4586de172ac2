import type { Restored } from '@runledger/server'
import type { Command } from 'commander'
import path from 'node:path'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'
import { DATA_OPTION, describeCounts, describeProblems, findDataFolder } from '../data-folder'

interface RestoreFlags {
  data?: string
  force?: boolean
  json?: boolean
}

export function registerRestore(program: Command, output: Output, context: CommandContext): void {
  program
    .command('restore')
    .description('Check a backup, and make a data folder of it for a service to start with.')
    .argument('<dir>', 'the folder of the backup')
    .option(DATA_OPTION[0], 'a new or empty folder (RUNLEDGER_DATA; default: .runledger)')
    .option('--force', 'restore what is there of a damaged backup')
    .option('--json', 'print one line of JSON: {"data", "taken_at", "ok", "problems", "runs", …}')
    .addHelpText(
      'after',
      '\nKeys of the backup work as they did then, also those that were revoked since. Sessions are closed.',
    )
    .action((dir: string, flags: RestoreFlags) => restoreBackup(dir, flags, { output, context }))
}

async function restoreBackup(dir: string, flags: RestoreFlags, { output, context }: Surface): Promise<void> {
  const { DamagedBackupError, restore } = await import('@runledger/server')
  const data = findDataFolder(flags.data, context)
  const restored = await restore(path.resolve(context.cwd, dir), data, {
    force: flags.force ?? false,
  }).catch((error: unknown) => {
    if (error instanceof DamagedBackupError) output.err(describeProblems(error.check).join('\n'))
    throw error
  })
  if (flags.json) return writeJson(output, { data, taken_at: restored.taken_at, ...restored.check })
  output.out(describe(data, restored))
}

function describe(data: string, { check, taken_at: takenAt }: Restored): string {
  return [
    `${data}: ${describeCounts(check)}, as of ${takenAt}`,
    ...(check.ok ? [] : describeProblems(check)),
    `Start the service with: npx runledger serve --data ${data}`,
  ].join('\n')
}
