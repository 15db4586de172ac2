import type { DeliverableRun } from '../delivery/deliverable-run'
import type { FolderSpool } from './folder-spool'

/** Lets go of an execution's runs: what can be sent waits for whoever comes next. Never rejects. */
export async function releaseRuns(runs: readonly DeliverableRun[], spool: FolderSpool): Promise<void> {
  await Promise.all(runs.map(async ({ entry }) => (entry?.canBeSent ? entry.release() : discard(entry))))
  await spool.closeSheet()
}

/** What a spool without room has left of a run is of no use to anybody. */
async function discard(entry: DeliverableRun['entry']): Promise<void> {
  await entry?.remove().catch(() => undefined)
}
