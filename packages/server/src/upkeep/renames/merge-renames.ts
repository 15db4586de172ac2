import { setTimeout as sleep } from 'node:timers/promises'
import { US_PER_SECOND } from '../../base/clock'
import type { StorageContext } from '../../storage/context'
import { mergeTests } from '../../record/results/history/aliases'
import { findRenames } from '../../record/results/history/renames'
import {
  listTestsOfBuild,
  listUnmergedTests,
  listUncheckedBuilds,
  markChecked,
  type UncheckedBuild,
} from '../../record/results/history/rename-store'

const INTERVAL_MS = 10_000
/** A build without news for so long is compared with the one before it. */
const QUIET_US = 60 * US_PER_SECOND

type RenameContext = Pick<StorageContext, 'database' | 'clock'>

/** Returns what stops it after the current step. */
export function startMergingRenames(context: StorageContext): () => Promise<void> {
  const stopping = new AbortController()
  const run = async () => {
    while (!stopping.signal.aborted) {
      await sleep(INTERVAL_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
      if (stopping.signal.aborted) return
      await mergeRenames(context).catch((error: unknown) =>
        context.log.error('Looking for renamed tests failed; it goes on later', error),
      )
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}

/** Compares builds that have new tests with the build before on the branch. Builds that may still be running wait. */
export async function mergeRenames(context: RenameContext): Promise<void> {
  const { database, clock } = context
  for (const build of await listUncheckedBuilds(database.query, clock() - QUIET_US))
    await mergeRenamesOf(context, build)
}

async function mergeRenamesOf({ database }: RenameContext, build: UncheckedBuild): Promise<void> {
  const [current, previous] = await Promise.all([
    listTestsOfBuild(database.query, build.id, build.procedure_id),
    build.previous_id === null ? [] : listTestsOfBuild(database.query, build.previous_id, build.procedure_id),
  ])
  const here = new Set(current.map(({ id }) => id))
  const before = new Set(previous.map(({ id }) => id))
  const vanished = previous.filter(({ id }) => !here.has(id))
  const appeared = current.filter(({ id, isUnchecked }) => isUnchecked && !before.has(id))
  const renames = findRenames(vanished, appeared)
  await database.write(async (transaction) => {
    // Somebody may have merged or parted names since they were read.
    const alone = await listUnmergedTests(
      transaction.query,
      renames.flatMap(({ earlier, later }) => [earlier, later]),
    )
    for (const { earlier, later } of renames)
      if (alone.has(earlier) && alone.has(later)) await mergeTests(transaction, earlier, later)
    await markChecked(
      transaction.query,
      current.filter(({ isUnchecked }) => isUnchecked).map(({ id }) => id),
    )
  })
}
