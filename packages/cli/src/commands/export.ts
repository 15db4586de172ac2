import { type Command, Option } from 'commander'
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { EXPORT_FORMATS, type ExportFormat } from '../export/formats'
import { listRuns } from '../export/list-runs'
import { SINCE } from '../ask/filter'
import { parseTime } from '../filter-options'
import { DIR_OPTION } from '../find-folder'
import type { Output } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface, CommandContext } from '../command-context'
import { count } from '../table'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface ExportFlags extends ServiceFlags {
  format: ExportFormat
  group?: string
  procedure?: string
  since?: string
  output?: string
}

export function registerExport(program: Command, output: Output, context: CommandContext): void {
  program
    .command('export')
    .description('Write runs of the service as JUnit XML, CTRF, CSV or one JSON object on each line.')
    .argument('[runs...]', 'ids of runs; left out, all that the options select, oldest first')
    .addOption(
      new Option('--format <format>', 'how to write them')
        .choices(Object.keys(EXPORT_FORMATS))
        .makeOptionMandatory(),
    )
    .option('--group <id>', 'runs with this report variable `group`')
    .option('--procedure <id>', 'runs of this procedure: its identifier or UUID')
    .option('--since <time>', `runs that started after it: ${SINCE}`, parseTime)
    .option('--output <file>', 'write to this file (default: standard output)')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .action((ids: string[], flags: ExportFlags) => exportRuns(ids, flags, { output, context }))
}

async function exportRuns(ids: string[], flags: ExportFlags, { output, context }: Surface): Promise<void> {
  const { format, group, since, output: target } = flags
  await withService(flags, context, async (service) => {
    const procedures = flags.procedure && [
      (await service.client.getProcedure({ params: { id: flags.procedure } })).id,
    ]
    const tally = { runs: 0 }
    const runs = countRuns(
      listRuns(service, { ids, group, procedures: procedures || undefined, since }),
      tally,
    )
    const parts = EXPORT_FORMATS[format](runs)
    if (target === undefined) return writeParts(parts, output)
    const file = path.resolve(context.cwd, target)
    await writeFileWhole(parts, file)
    output.err(toPlainText(`${count(tally.runs, 'run')} written to ${file}.`))
  })
}

async function* countRuns<Run>(runs: AsyncIterable<Run>, tally: { runs: number }): AsyncGenerator<Run> {
  for await (const run of runs) {
    tally.runs += 1
    yield run
  }
}

async function writeParts(parts: AsyncIterable<string>, output: Output): Promise<void> {
  for await (const part of parts) {
    if (output.write) await output.write(part)
    else output.out(part)
  }
}

/**
 * Replaces the file only once all is written, readable by its user alone; never through a link that another user has put there.
 */
async function writeFileWhole(parts: AsyncIterable<string>, file: string): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.part`
  try {
    await pipeline(Readable.from(parts), createWriteStream(unfinished, { flags: 'wx', mode: 0o600 }))
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
