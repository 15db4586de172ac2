import type { Command } from 'commander'
import { readHistoryPage } from '../ask/history-pages'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface, CommandContext } from '../command-context'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

export function registerUnit(program: Command, output: Output, context: CommandContext): void {
  program
    .command('unit <serial-number>')
    .description(
      'Show the history of a unit: its verdict in each procedure, its runs and those of its sub-units, and its values.',
    )
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print the JSON of GET /v2/line/unit on one line')
    .action((serialNumber: string, flags: ServiceFlags) => tellUnit(serialNumber, flags, { output, context }))
}

async function tellUnit(
  serialNumber: string,
  flags: ServiceFlags,
  { output, context }: Surface,
): Promise<void> {
  const query = { serial_number: serialNumber }
  await withService(flags, context, async (service) => {
    if (flags.json) return writeJson(output, await service.client.getLineUnit({ query }))
    output.out(toPlainText((await readHistoryPage(service, '/line/unit', query)).trimEnd()))
  })
}
