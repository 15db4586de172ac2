import { sweepAttachments } from './attachments/sweep-attachments'
import { sweepBlobs } from './blobs/sweep-blobs'
import { US_PER_SECOND } from './clock'
import type { Context } from './context'
import { deleteExpiredSessions } from './sessions/store'
import { applyRetention } from './upkeep/retention'

const SWEEP_INTERVAL_MS = 60 * 60 * 1000

/**
 * Deletes now and then what nobody needs any more, and, once, what a killed process left. Returns what ends that, after
 * the step that is under way.
 */
export function startSweeping(context: Context): () => Promise<void> {
  const stopping = new AbortController()
  const sweep = async (work: () => Promise<unknown>) => {
    await work().catch((error: unknown) => context.log.error('Sweeping failed', error))
  }
  void context.deletions.run()
  let current = sweep(() => sweepBlobs(context, stopping.signal)).then(() =>
    sweep(() => sweepOnce(context, stopping.signal)),
  )
  const timer = setInterval(() => {
    current = current.then(() => sweep(() => sweepOnce(context, stopping.signal)))
  }, SWEEP_INTERVAL_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    stopping.abort()
    return current
  }
}

/** One clean-up: attachments that were never linked, runs by their age, expired sessions. */
export async function sweepOnce(context: Context, signal: AbortSignal): Promise<void> {
  void context.deletions.run()
  const attachments = await sweepAttachments(context, signal)
  const runs = await applyRetention(context, signal)
  if (signal.aborted) return
  await context.database.write(({ query }) => deleteExpiredSessions(query, context.clock()))
  context.metrics.countCleanUp({ attachments, runs }, context.clock() / US_PER_SECOND)
}
