import type { MigratedStorage } from '@runledger/server'
import type { Command } from 'commander'
import path from 'node:path'
import { ReportedError } from '../command-error'
import { type Output, writeJson } from '../output'
import { ProgressBar } from '../progress-bar'
import type { Surface, CommandContext } from '../command-context'
import { count, formatBytes, formatTable } from '../table'

interface MigrateStorageFlags {
  fromData?: string
  fromDatabase?: string
  fromStorage?: string
  toData?: string
  toDatabase?: string
  toStorage?: string
  json?: boolean
}

export function registerMigrateStorage(program: Command, output: Output, context: CommandContext): void {
  program
    .command('migrate-storage')
    .description(
      'Move all records and files of a stopped service, such as from SQLite to PostgreSQL and S3, or back.',
    )
    .option('--from-data <folder>', 'the folder of the service (RUNLEDGER_FROM_DATA)')
    .option('--from-database <address>', 'its PostgreSQL, if it has one (RUNLEDGER_FROM_DATABASE)')
    .option('--from-storage <address>', 'its bucket, if it has one (RUNLEDGER_FROM_STORAGE)')
    .option('--to-data <folder>', 'a new folder (RUNLEDGER_TO_DATA)')
    .option('--to-database <address>', 'an empty PostgreSQL database for the records (RUNLEDGER_TO_DATABASE)')
    .option('--to-storage <address>', 'an empty bucket for the files (RUNLEDGER_TO_STORAGE)')
    .option('--json', 'print one line of JSON: {"tables", "rows", "blobs", "bytes", "lost", …}')
    .addHelpText(
      'after',
      '\nThe addresses are those that "runledger serve" takes; the keys of a bucket are AWS_ACCESS_KEY_ID and' +
        '\nAWS_SECRET_ACCESS_KEY. If it is interrupted, run it again: it continues. At the end it compares everything.' +
        '\nExit code 1 also if files were already missing in the source.',
    )
    .action((flags: MigrateStorageFlags) => migrate(flags, { output, context }))
}

async function migrate(
  flags: MigrateStorageFlags,
  { output, context: { cwd, env, terminal } }: Surface,
): Promise<void> {
  const { migrateStorage, resolveStoragePlace } = await import('@runledger/server')
  const folder = (data: string | undefined) => data && path.resolve(cwd, data)
  const from = await resolveStoragePlace(
    'from',
    { data: folder(flags.fromData), database: flags.fromDatabase, storage: flags.fromStorage },
    env,
  )
  const to = await resolveStoragePlace(
    'to',
    { data: folder(flags.toData), database: flags.toDatabase, storage: flags.toStorage },
    env,
  )
  const progress = terminal && !flags.json ? new ProgressBar(terminal) : undefined
  const moved = await migrateStorage({ from, to, progress }).finally(() => progress?.clear())
  if (flags.json) writeJson(output, moved)
  else output.out(describe(moved, to.dataDir))
  if (moved.lost.length === 0) return
  if (!flags.json) output.err(describeLost(moved.lost))
  throw new ReportedError()
}

function describe(moved: MigratedStorage, dataDir: string): string {
  const filled = moved.tables.filter(({ rows }) => rows > 0)
  const { copy_seconds: copy, check_seconds: check } = moved
  return [
    formatTable(
      ['table', 'rows'],
      filled.map(({ name, rows }) => [name, String(rows)]),
    ),
    '',
    `Moved ${count(moved.rows, 'row')} and ${count(moved.blobs - moved.lost.length, 'file')} (${formatBytes(moved.bytes)}).`,
    `Copied in ${copy} s${moved.resumed ? ' (skipped what was copied before)' : ''}. Compared in ${check} s: no differences.`,
    `Start the service with --data ${dataDir}, and the database and storage given here. The source keeps all its records.`,
  ].join('\n')
}

function describeLost(lost: readonly string[]): string {
  const what = `${count(lost.length, 'attachment file')} ${lost.length === 1 ? 'is' : 'are'} missing`
  return `Warning: ${what} in the source, and therefore in the target: ${lost.slice(0, 10).join(', ')}${lost.length > 10 ? ', …' : ''}`
}
