import pLimit from 'p-limit'
import type { Delivery } from '../delivery/open-delivery'
import { describeError, NetworkError } from '../model/errors'
import { explainFailure } from '../model/explain-failure'
import type { FolderSpool, ListedEntry } from './folder-spool'
import type { EntryFolder } from './entry-folder'
import { loadEntry, syncUnsent, toDeliverableRun } from './load-run'
import type { Progress } from './progress'
import { normalizeServiceUrl, type SpoolEntry } from './spool-entry'
import { StrangeEntryError } from './spool-error'

const ENTRIES_AT_ONCE = 4

const NO_TIME = 'no time was left'

/**
 * What became of an entry. `waits`: it stays, for the reason given; `busy`: another execution has it; `set-aside`: it
 * cannot be read, and is out of the way.
 */
export interface SweptEntry {
  submissionId: string
  status: 'sent' | 'waits' | 'busy' | 'set-aside'
  /** Why it was not sent. */
  reason: string | undefined
  /** The service will not take it as it is. */
  isRefused: boolean
  entry: SpoolEntry | undefined
  /** Address of the run, when it is on record. */
  url: string | undefined
}

export interface SweepSettings {
  spool: FolderSpool
  delivery: Pick<Delivery, 'deliver' | 'signal'>
  /** Why an entry is passed over, or undefined when it is to be sent. */
  refuse: (entry: SpoolEntry, progress: Progress) => string | undefined
  /** Told of each entry as soon as it is settled. */
  onEntry?: (swept: SweptEntry) => void
}

/**
 * Sends what waits in a spool, oldest first, leaving alone what other executions have. It ends early when the service
 * gives no answer or the signal aborts; the rest waits on.
 */
export async function sweepSpool(
  settings: SweepSettings,
  listed: readonly ListedEntry[],
): Promise<SweptEntry[]> {
  const limit = pLimit(ENTRIES_AT_ONCE)
  const outage = { reason: undefined as string | undefined }
  return Promise.all(
    listed.map(({ submissionId }) =>
      limit(async () => {
        const swept = await sweepEntry(submissionId, settings, outage)
        settings.onEntry?.(swept)
        return swept
      }),
    ),
  )
}

async function sweepEntry(
  submissionId: string,
  settings: SweepSettings,
  outage: { reason: string | undefined },
): Promise<SweptEntry> {
  const waits = { submissionId, status: 'waits', isRefused: false, entry: undefined, url: undefined } as const
  if (outage.reason !== undefined) return { ...waits, reason: outage.reason }
  if (settings.delivery.signal.aborted) return { ...waits, reason: NO_TIME }
  let folder: EntryFolder | undefined
  try {
    folder = await settings.spool.open(submissionId)
    if (folder === undefined) return { ...waits, status: 'busy', reason: 'another execution has it' }
    return await deliverEntry(folder, settings, outage)
  } catch (error) {
    const reason = describeError(error)
    if (!(error instanceof StrangeEntryError)) return { ...waits, reason }
    await settings.spool.setAside(submissionId)
    return { ...waits, status: 'set-aside', reason }
  } finally {
    await folder?.release()
  }
}

async function deliverEntry(
  folder: EntryFolder,
  { delivery, refuse }: SweepSettings,
  outage: { reason: string | undefined },
): Promise<SweptEntry> {
  const { submissionId } = folder
  const entry = await loadEntry(folder)
  const sent = {
    submissionId,
    status: 'sent',
    reason: undefined,
    isRefused: false,
    entry,
    url: undefined,
  } as const
  if (entry === undefined) {
    await folder.remove()
    return sent
  }
  const run = await toDeliverableRun(folder, entry)
  const objection = refuse(entry, run.progress)
  if (objection !== undefined)
    return { ...sent, status: 'waits', reason: objection, isRefused: isRefused(run.progress) }
  if (!(await isDoneInTime(() => syncUnsent(folder, run), delivery.signal)))
    return { ...sent, status: 'waits', reason: NO_TIME }
  const result = await delivery.deliver(run)
  const url = result.status === 'delivered' ? result.answer.url : undefined
  if (result.status === 'delivered' && result.isComplete) return { ...sent, url }
  if (result.status === 'failed' && result.error instanceof NetworkError) {
    outage.reason = `not tried: ${describeError(result.error)}`
  }
  const reason =
    result.status === 'failed'
      ? [describeError(result.error), explainFailure(result.error)].filter(Boolean).join('; ')
      : result.problems.join('; ')
  return { ...sent, status: 'waits', reason, isRefused: isRefused(run.progress), url }
}

/** False when the signal aborts first: what has begun is left to itself. */
async function isDoneInTime(action: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  let cut = (): void => undefined
  const aborted = new Promise<false>((resolve) => {
    cut = () => resolve(false)
    signal.addEventListener('abort', cut, { once: true })
  })
  try {
    return await Promise.race([action().then(() => true), aborted])
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

function isRefused({ problem }: Progress): boolean {
  return problem?.isRefused ?? false
}

/** Why an entry cannot go to a service: a key is never sent where it does not belong. */
export function refuseOtherService(entry: SpoolEntry, url: string): string | undefined {
  if (entry.service.url === normalizeServiceUrl(url)) return undefined
  return `it is for another service, ${entry.service.url}`
}
