import type { RebuiltRollUps } from '@runledger/server'
import type { Command } from 'commander'
import { ReportedError } from '../command-error'
import { DATA_OPTION, findDataFolder } from '../data-folder'
import { type Output, writeJson } from '../output'
import { ProgressBar } from '../progress-bar'
import type { Surface, CommandContext } from '../command-context'
import { count } from '../table'

interface RebuildFlags {
  data?: string
  database?: string
  json?: boolean
}

export function registerRebuildRollUps(program: Command, output: Output, context: CommandContext): void {
  program
    .command('rebuild-rollups')
    .description('Rebuild the history of tests and builds of a stopped service from its runs, and verify it.')
    .option(...DATA_OPTION)
    .option('--database <url>', 'the PostgreSQL of the service, if it has one (RUNLEDGER_DATABASE)')
    .option('--json', 'print one line of JSON: {"runs", "changed_runs", "changed_roll_ups", "different"}')
    .addHelpText('after', '\nExit code 0 only when every roll-up equals a recount at the end.')
    .action((flags: RebuildFlags) => rebuild(flags, { output, context }))
}

async function rebuild(flags: RebuildFlags, { output, context }: Surface): Promise<void> {
  const { rebuildRollUps, resolveServerConfig } = await import('@runledger/server')
  const { env, terminal } = context
  const data = findDataFolder(flags.data, context)
  const progress = terminal && !flags.json ? new ProgressBar(terminal) : undefined
  let last = 0
  const config = resolveServerConfig({ ...flags, data }, env)
  const rebuilt = await rebuildRollUps(config, (runs, all) => {
    if (last === 0) progress?.expect(all)
    progress?.step('runs', runs - last)
    last = runs
  }).finally(() => progress?.clear())
  if (flags.json) writeJson(output, rebuilt)
  else output.out(describe(rebuilt))
  if (rebuilt.different > 0) throw new ReportedError()
}

function describe({
  runs,
  changed_runs: changedRuns,
  changed_roll_ups: changed,
  different,
}: RebuiltRollUps): string {
  const found =
    changedRuns + changed === 0
      ? 'Nothing had to be changed.'
      : `Changed the results of ${count(changedRuns, 'run')} and ${count(changed, 'roll-up')}.`
  const proof =
    different === 0 ? 'All roll-ups equal a recount.' : `${count(different, 'roll-up')} still differ.`
  return `Rebuilt the history of ${count(runs, 'run')}. ${found} ${proof}`
}
