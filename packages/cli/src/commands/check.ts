import { DATA_FOLDER } from '@runledger/protocol'
import type { DataCheck } from '@runledger/server'
import type { Command } from 'commander'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { CommandError, ReportedError } from '../command-error'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'
import { count, formatBytes } from '../table'
import { DATA_OPTION, describeCounts, describeProblems, findDataFolder } from '../data-folder'

interface CheckFlags {
  data?: string
  database?: string
  storage?: string
  bytes?: boolean
  json?: boolean
}

export function registerCheck(program: Command, output: Output, context: CommandContext): void {
  program
    .command('check')
    .description('Check the data of a service, or a backup: the database, its rows, and the files they name.')
    .argument('[folder]', 'the folder of the data; short for --data')
    .option(...DATA_OPTION)
    .option('--database <url>', 'the PostgreSQL of the service, if it has one (RUNLEDGER_DATABASE)')
    .option('--storage <address>', 'the bucket of the service, if it has one (RUNLEDGER_STORAGE)')
    .option('--bytes', 'read all files too, and compare them with their SHA-256')
    .option('--json', 'print one line of JSON: {"ok", "problems", "runs", "attachments", …}')
    .addHelpText('after', '\nYou can run this while the service runs. Exit code 0 means: no problems.')
    .action((folder: string | undefined, flags: CheckFlags) =>
      check(folder === undefined ? flags : { ...flags, data: folder }, { output, context }),
    )
}

async function check(flags: CheckFlags, { output, context }: Surface): Promise<void> {
  const folder = findDataFolder(flags.data, context)
  const below = path.join(folder, DATA_FOLDER)
  if (!isDataFolder(folder) && isDataFolder(below))
    throw new CommandError(`the data of ${folder} is in ${below}: npx runledger check --data ${below}`)
  const { checkPlace, resolveServerConfig } = await import('@runledger/server')
  const { database, storage } = resolveServerConfig(flags, context.env)
  const found = await checkPlace({ dataDir: folder, database, storage }, { bytes: flags.bytes ?? false })
  if (flags.json) writeJson(output, found)
  else output.out([`${folder}: ${describeCounts(found)}`, ...describeFindings(found)].join('\n'))
  if (!found.ok) throw new ReportedError()
}

function isDataFolder(folder: string): boolean {
  return ['runledger.db', 'database.json'].some((name) => existsSync(path.join(folder, name)))
}

function describeFindings(found: DataCheck): string[] {
  const { leftover_files: files, leftover_bytes: bytes } = found
  const advice = 'The service deletes files of interrupted uploads.'
  const leftovers =
    files === 0 ? [] : [`${count(files, 'file')} without a row (${formatBytes(bytes)}). ${advice}`]
  return [...describeProblems(found), ...leftovers]
}
