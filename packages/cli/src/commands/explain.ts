import { MAX_EXPLAINED } from '@runledger/protocol'
import type { Command } from 'commander'
import { findCurrentBuild, findFailure } from '../ask/failure'
import { readHistoryPage } from '../ask/history-pages'
import { parseLimit } from '../filter-options'
import { DIR_OPTION, findFolder } from '../find-folder'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface, CommandContext } from '../command-context'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface ExplainFlags extends ServiceFlags {
  branch?: string
  group?: string
  limit?: number
}

const HELP = `
Without a failure, it explains the build of this CI job, else the last build of the branch that is checked out. If several tests have
the same first error, one of them is explained.`

export function registerExplain(program: Command, output: Output, context: CommandContext): void {
  program
    .command('explain')
    .description('Explain a failure: what broke it and when, how flaky it is, and how to run it again.')
    .argument('[failure]', 'id or address of a run, or id or name of a test')
    .option(
      '--branch <branch>',
      'the last build of this branch; with a test, only its results on this branch',
    )
    .option('--group <group>', 'the build of this group')
    .option(
      '--limit <number>',
      `how many causes, at most ${MAX_EXPLAINED} (default: 3)`,
      parseLimit(MAX_EXPLAINED),
    )
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of GET /v2/explanation on one line')
    .addHelpText('after', HELP)
    .action((failure: string | undefined, flags: ExplainFlags) =>
      explain(failure, flags, { output, context }),
    )
}

async function explain(
  failure: string | undefined,
  { branch, group, limit, ...flags }: ExplainFlags,
  { output, context }: Surface,
): Promise<void> {
  await withService(flags, context, async (service) => {
    const { client } = service
    const cwd = findFolder(flags.dir, context.cwd)
    const found =
      failure !== undefined
        ? await findFailure(client, failure)
        : branch === undefined && group === undefined
          ? await findCurrentBuild(client, { env: context.env, cwd })
          : {}
    const query = { ...found, ...(branch && { branch }), ...(group && { group }), ...(limit && { limit }) }
    if (flags.json) return writeJson(output, await client.explainFailures({ query }))
    output.out(toPlainText((await readHistoryPage(service, '/explanation', query)).trimEnd()))
  })
}
