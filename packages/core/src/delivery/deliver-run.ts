import type { CreateRunAnswer } from '@runledger/protocol'
import { ApiError, describeError } from '../model/errors'
import { createRunOnce, type CreationPolicy } from './create-run'
import { deliverAttachments } from './deliver-attachments'
import { isComplete, noteProgress, type DeliverableRun } from './deliverable-run'
import { applyEvent } from '../spool/progress'
import { findRefusal } from './failure-kind'
import type { RunDelivery } from './run-delivery'
import type { ServiceClient } from './service-client'

/**
 * Creates a run, sends its attachments, links them, each unless the service has acknowledged it already, and writes
 * down what it acknowledges. A run that has got everything leaves the spool. Never throws; what failed is in the answer.
 */
export async function deliverRun(
  client: ServiceClient,
  run: DeliverableRun,
  policy: CreationPolicy,
): Promise<RunDelivery> {
  const { passed } = run
  try {
    const answer = run.progress.answer ?? (await createRunOnce(client, run, policy))
    const failures = await sendAndLink(client, run, deriveRunId(answer))
    const isWhole = isComplete(run)
    if (isWhole) await run.entry?.remove().catch(() => undefined)
    else await noteFailures(run, failures)
    return { status: 'delivered', passed, answer, isComplete: isWhole, problems: failures.map(describeError) }
  } catch (error) {
    await noteFailures(run, [error])
    return { status: 'failed', passed, error }
  }
}

async function sendAndLink(
  client: ServiceClient,
  run: DeliverableRun,
  runId: string | undefined,
): Promise<unknown[]> {
  if (isComplete(run)) return []
  if (runId === undefined)
    return [new Error(`attachments: the service's answer to run creation has no run id`)]
  const sent = new Set(run.progress.ids.keys())
  const failures = await deliverAttachments(client, run)
  try {
    await linkReceived(client, run, runId)
    return failures
  } catch (error) {
    if (!hasLostAttachments(error) || sent.size === 0) return [...failures, toLinkError(run, error)]
  }
  return sendAgain(client, run, runId)
}

/** The service drops what is not linked in time: ids of long ago may mean nothing to it any more. */
async function sendAgain(client: ServiceClient, run: DeliverableRun, runId: string): Promise<unknown[]> {
  await noteProgress(run, { event: 'forgotten', attachments: listUnlinked(run) })
  const failures = await deliverAttachments(client, run)
  try {
    await linkReceived(client, run, runId)
    return failures
  } catch (error) {
    return [...failures, toLinkError(run, error)]
  }
}

async function linkReceived(client: ServiceClient, run: DeliverableRun, runId: string): Promise<void> {
  const { ids } = run.progress
  const names = listUnlinked(run).filter((name) => ids.has(name))
  if (names.length === 0) return
  await client.linkAttachments(
    runId,
    names.map((name) => ids.get(name) as string),
  )
  // A run that has got everything leaves the spool at once: nobody reads its journal any more.
  if (isComplete(run, names)) applyEvent(run.progress, { event: 'linked', attachments: names })
  else await noteProgress(run, { event: 'linked', attachments: names })
}

function listUnlinked({ attachments, progress }: DeliverableRun): string[] {
  return attachments.map(({ name }) => name).filter((name) => !progress.linked.has(name))
}

function hasLostAttachments(error: unknown): boolean {
  return error instanceof ApiError && error.statusCode === 404
}

function toLinkError(run: DeliverableRun, error: unknown): Error {
  const count = listUnlinked(run).filter((name) => run.progress.ids.has(name)).length
  return new LinkError(`${count} attachments could not be linked: ${describeError(error)}`, { cause: error })
}

class LinkError extends Error {
  override name = 'LinkError'
}

/** Marks the run with what the service will not take, else with what failed first. */
async function noteFailures(run: DeliverableRun, failures: readonly unknown[]): Promise<void> {
  const refused = failures.find((failure) => refusalOf(failure) !== undefined)
  const failure = refused ?? failures[0]
  if (failure === undefined) return
  await noteProgress(run, {
    event: 'failed',
    message: describeError(failure),
    isRefused: refused !== undefined,
    statusCode: refusalOf(failure)?.statusCode,
    at: new Date().toISOString(),
  })
}

function refusalOf(failure: unknown): ApiError | undefined {
  return findRefusal(failure instanceof LinkError ? failure.cause : failure)
}

/** A service of the bare specification answers only `url`; the run's id is its last path segment (contract decisions, v1). */
function deriveRunId({ id, url }: CreateRunAnswer): string | undefined {
  if (id) return id
  const segment = url.split(/[?#]/, 1)[0]?.split('/').filter(Boolean).at(-1)
  try {
    return segment && decodeURIComponent(segment)
  } catch {
    return segment
  }
}
