import type { Command } from 'commander'
import { compareWithEarlier, findRunId, readRunPage } from '../ask/run'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface, CommandContext } from '../command-context'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

export function registerRun(program: Command, output: Output, context: CommandContext): void {
  program
    .command('run')
    .description('Print a run as Markdown: why it failed, and which of its failures are new.')
    .argument('<id>', 'its id, or the beginning of it')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print one line of JSON: {"run", "verdicts"}')
    .addHelpText(
      'after',
      '\n"run" is what GET /v2/runs/{id} answers, "verdicts" what GET /v2/verdicts does: null where the service has none.',
    )
    .action((id: string, flags: ServiceFlags) => run(id, flags, { output, context }))
}

async function run(given: string, flags: ServiceFlags, { output, context }: Surface): Promise<void> {
  await withService(flags, context, async (service) => {
    const { client } = service
    const id = await findRunId(client, given)
    if (!flags.json) return output.out(toPlainText((await readRunPage(service, id)).trimEnd()))
    const [found, verdicts] = await Promise.all([
      client.getRun({ params: { id } }),
      compareWithEarlier(client, { ids: [id] }),
    ])
    writeJson(output, { run: found, verdicts: verdicts ?? null })
  })
}
