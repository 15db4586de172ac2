import { UploadError } from '../model/errors'
import type { DroppedEntry } from '../spool/bound-spool'
import type { SweptEntry } from '../spool/sweep-spool'
import { messageOf } from '../util/tell-user'
import type { DeliverableRun } from './deliverable-run'
import type { RunDelivery } from './run-delivery'

/** What became of an execution's runs, and of those that waited in its spool. */
export interface ExecutionDelivery {
  /** The execution's own runs, those that could not be made last. */
  deliveries: RunDelivery[]
  /** The runs as they were to be sent, in JSON, those that could not be made left out; deliveries are in the same places. */
  requests: Uint8Array[]
  /** Older runs of the spool; none when there was no spool or no time. */
  swept: SweptEntry[]
  dropped: DroppedEntry[]
  /** Own runs that wait in the spool now, wholly or in part. */
  keptCount: number
}

/** None could be tried, for want of an option or of code: what the spool has of them waits there. */
export function leaveRuns(runs: readonly DeliverableRun[], reason: unknown): ExecutionDelivery {
  const error = reason instanceof UploadError ? reason : explainUnloaded(reason)
  return {
    deliveries: runs.map(({ passed }) => ({ status: 'failed', passed, error })),
    requests: runs.map(({ requestJson }) => requestJson),
    swept: [],
    dropped: [],
    keptCount: runs.filter(({ entry }) => entry?.canBeSent).length,
  }
}

/** Of Node's message the first line: others are a list of the files that wanted it. */
function explainUnloaded(cause: unknown): Error {
  const [first] = messageOf(cause).split('\n', 1)
  return new Error(`what sends them cannot be loaded: ${first}`, { cause })
}
