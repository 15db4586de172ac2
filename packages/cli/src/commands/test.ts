import type { Command } from 'commander'
import { findTestId, readHistoryPage } from '../ask/history-pages'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface, CommandContext } from '../command-context'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface TestFlags extends ServiceFlags {
  branch?: string
  environment?: string
}

export function registerTest(program: Command, output: Output, context: CommandContext): void {
  program
    .command('test')
    .description('Print a test over time as Markdown: rates, when it broke and was fixed, evidence, errors.')
    .argument('<test>', 'its id, or a part of its name that no other test has')
    .option('--branch <branch>', 'only results of this branch')
    .option('--environment <environment>', 'only results of this environment')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of GET /v2/tests/{id} on one line')
    .action((given: string, flags: TestFlags) => test(given, flags, { output, context }))
}

async function test(given: string, flags: TestFlags, { output, context }: Surface): Promise<void> {
  const { branch, environment } = flags
  await withService(flags, context, async (service) => {
    const id = await findTestId(service.client, given)
    const query = { branch, environment }
    if (flags.json) return writeJson(output, await service.client.getTest({ params: { id }, query }))
    output.out(toPlainText((await readHistoryPage(service, `/tests/${id}`, query)).trimEnd()))
  })
}
