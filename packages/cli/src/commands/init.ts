import type { Command } from 'commander'
import { UsageError } from '../command-error'
import { DIR_OPTION } from '../find-folder'
import type { InitFlags } from '../init/init-flags'
import type { Output } from '../output'
import type { Surface, CommandContext } from '../command-context'

export function registerInit(program: Command, output: Output, context: CommandContext): void {
  program
    .command('init')
    .description(
      'Set up the test frameworks of this project: install the reporter, and add it to each config.',
    )
    .option('--url <url>', 'the service to set up for, its key in RUNLEDGER_API_KEY')
    .option('--procedure <identifier>', 'the procedure of the runs; it is created where there is none')
    .option('--yes', 'do it without asking')
    .option('--dry-run', 'show what would be done, and do nothing')
    .option('--undo', 'put back every file as it was before')
    .option('--no-install', 'leave the package manager alone')
    .option(...DIR_OPTION)
    .option(
      '--json',
      'print one line of JSON: {"done", "configs", "packages", "procedure", …}; needs --yes or --dry-run',
    )
    .action((flags: InitFlags) => init(flags, { output, context }))
}

async function init(flags: InitFlags, surface: Surface): Promise<void> {
  if (flags.json && !flags.yes && !flags.dryRun) throw new UsageError('--json needs --yes or --dry-run')
  // Loaded here: a parser of TypeScript is nothing that other commands should wait for.
  if (flags.undo) await (await import('../init/take-back')).takeBack(flags, surface)
  else await (await import('../init/set-up')).setUp(flags, surface)
}
