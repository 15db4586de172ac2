import { readCredentials, writeCredentials } from '../../storage/folder/data-folder'
import { unfinishedMoveError } from '../../storage/database/places/unfinished'
import { StartError } from '../../base/errors'
import { checkApart } from '../restore'
import { openSource, openTarget, type StorageEnd, type StoragePlace, namingSide } from './open-end'
import { type MigrationProgress, type MovedRecord, RunningMigration } from './running-migration'
import {
  analyze,
  countRows,
  findFirstUser,
  markFinished,
  markUnfinished,
  readUnfinished,
  type TableStore,
} from './table-store'
import { isDiskFull } from '../../storage/folder/disk-errors'

export interface MigrateStorageOptions {
  from: StoragePlace
  to: StoragePlace
  progress?: MigrationProgress | undefined
}

export interface MigratedStorage extends MovedRecord {
  resumed: boolean
}

/**
 * Copies all rows and the bytes that they name, and compares counts and digests at the end. No service may use either place
 * meanwhile. The source is only upgraded to this release. The next call resumes an interrupted move; until it is complete, no
 * service starts with the target. @throws StartError when either is in use, the target is not empty, or the source changed
 * between calls
 */
export async function migrateStorage({
  from,
  to,
  progress,
}: MigrateStorageOptions): Promise<MigratedStorage> {
  await checkApart(from.dataDir, to.dataDir)
  const source = await openSource(from)
  try {
    const user = await namingSide('from', () => identify(source.tables))
    const target = await openTarget(to)
    try {
      return await move(source, target, { user, progress })
    } catch (error) {
      throw isDiskFull(error) ? noSpaceError(error) : error
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

interface Move {
  user: string
  progress: MigrationProgress | undefined
}

async function move(
  source: StorageEnd,
  target: StorageEnd,
  { user, progress }: Move,
): Promise<MigratedStorage> {
  const resumed = await namingSide('to', () => claim(target, user))
  const moved = await new RunningMigration(source, target, progress).run()
  await finish(source, target)
  return { resumed, ...moved }
}

function noSpaceError(cause: unknown): StartError {
  return new StartError(
    `The disk is too full for the record: ${(cause as Error).message}. Free some space, then run the command again: it continues from here.`,
    { cause },
  )
}

async function identify(source: TableStore): Promise<string> {
  if ((await readUnfinished(source)) !== undefined) throw unfinishedMoveError()
  const user = await findFirstUser(source)
  if (user === undefined)
    throw new StartError('The source has no records: no service has ever started there.')
  return user
}

/** Returns false for an empty target, true for the unfinished one of the same record. @throws StartError for any other */
async function claim({ dataDir, tables }: StorageEnd, user: string): Promise<boolean> {
  const begun = await readUnfinished(tables)
  if (begun === user) return true
  if (begun !== undefined)
    throw new StartError(
      'The move of another record to the target is not complete. Complete it, or give an empty place.',
    )
  for (const table of await tables.listTables())
    if ((await countRows(tables, table)) > 0) throw targetNotEmptyError(`the table ${table.name} has rows`)
  if (await readCredentials(dataDir)) throw targetNotEmptyError(`${dataDir} has credentials of a service`)
  await markUnfinished(tables, user)
  return false
}

function targetNotEmptyError(reason: string): StartError {
  return new StartError(
    `The target is not empty: ${reason}. Give a new folder with --data, or a new database with --database (RUNLEDGER_DATABASE).`,
  )
}

/** Copies the credentials, whose key works with the moved record too. */
async function finish(source: StorageEnd, target: StorageEnd): Promise<void> {
  const credentials = await readCredentials(source.dataDir)
  if (credentials) await writeCredentials(target.dataDir, credentials)
  await analyze(target.tables)
  await markFinished(target.tables)
}
