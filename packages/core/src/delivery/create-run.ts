import type { CreateRunAnswer } from '@runledger/protocol'
import { ApiError } from '../model/errors'
import { applyEvent } from '../spool/progress'
import { deriveRetryDelayMs } from '../transport/retry-delay'
import { wait } from '../util/time-limit'
import { isComplete, noteProgress, type DeliverableAttachment, type DeliverableRun } from './deliverable-run'
import { isAmbiguous } from './failure-kind'
import { findTaken, formatCreation, listInline } from './inline-attachments'
import type { ServiceClient } from './service-client'

/** How creations that may or may not have been done are tried again; one for all runs of a delivery. */
export interface CreationPolicy {
  maxRetries: number
  /** A run has let down all its tries: others get one each until the service answers well again. */
  isDown: boolean
  /** The service does not take attachments with the creation of their run. */
  takesNoInline: boolean
  /** No wait keeps the process alive. */
  isBackground: boolean
  signal: AbortSignal
}

/** Answers of a service that may be strict about keys that it does not know, or about the length of a request. */
const NO_INLINE = new Set([400, 413, 422])

/**
 * Creates a run exactly once, its short texts with it. Every try has the same idempotency key and body; and since not
 * every service heeds that, a run that may have been created already is looked for by its report variable before it is
 * created again.
 * @throws NetworkError, ApiError
 */
export async function createRunOnce(
  client: ServiceClient,
  run: DeliverableRun,
  policy: CreationPolicy,
): Promise<CreateRunAnswer> {
  // What another process may have sent is not changed any more.
  const creation: Creation = { client, run, policy, inline: run.hasWaited ? listInline(run) : undefined }
  let mayExist = run.hasWaited
  for (let retry = 1; ; retry += 1) {
    try {
      const answer = (mayExist && (await findCreated(creation))) || (await create(creation))
      policy.isDown = false
      return await acknowledge(run, answer)
    } catch (error) {
      if (await isStrict(error, creation)) continue
      if (!isAmbiguous(error)) throw error
      mayExist = true
      await waitForRetry(retry, policy, error)
    }
  }
}

interface Creation {
  client: ServiceClient
  run: DeliverableRun
  policy: CreationPolicy
  /** What goes with the run; undefined until it is sent for the first time. */
  inline: DeliverableAttachment[] | undefined
}

async function findCreated({ client, run, inline = [] }: Creation): Promise<CreateRunAnswer | undefined> {
  const found = await client.findRun(run.submissionId)
  if (!found?.id || inline.length === 0) return found
  return { ...found, inline_attachments: findTaken(inline, await client.findLinked(found.id)) }
}

async function create(creation: Creation): Promise<CreateRunAnswer> {
  const { client, run, policy } = creation
  const answer = await client.createRun(async () => {
    creation.inline ??= policy.takesNoInline ? await sendApart(run) : listInline(run)
    return formatCreation(run.requestJson, creation.inline)
  }, run.submissionId)
  const { inline = [] } = creation
  const taken = findTaken(inline, answer.inline_attachments)
  if (inline.length > 0) policy.takesNoInline = taken === undefined
  return { ...answer, inline_attachments: taken }
}

/** Written down before the run is sent so: nobody may send it otherwise then. */
async function sendApart(run: DeliverableRun): Promise<DeliverableAttachment[]> {
  if (listInline(run).length > 0) await noteProgress(run, { event: 'apart' })
  return []
}

/** True when the run is to be sent again without what such a service may not take. */
async function isStrict(error: unknown, creation: Creation): Promise<boolean> {
  const isRefusal = error instanceof ApiError && NO_INLINE.has(error.statusCode)
  if (!isRefusal || !creation.inline?.length) return false
  creation.policy.takesNoInline = true
  creation.inline = await sendApart(creation.run)
  return true
}

/**
 * Writes it down, unless the run has all that it needs with that: it leaves the spool at once, and a service that takes
 * attachments with their run can be asked what it has of it.
 */
async function acknowledge(run: DeliverableRun, answer: CreateRunAnswer): Promise<CreateRunAnswer> {
  const event = { event: 'created', answer } as const
  applyEvent(run.progress, event)
  const isDone = answer.inline_attachments !== undefined && isComplete(run)
  if (!isDone) await noteProgress(run, event)
  return answer
}

/** @throws the error itself when there is no other try. */
async function waitForRetry(retry: number, policy: CreationPolicy, error: unknown): Promise<void> {
  const { signal, isBackground } = policy
  if (signal.aborted || policy.isDown) throw error
  if (retry > policy.maxRetries) {
    policy.isDown = true
    throw error
  }
  await wait(
    deriveRetryDelayMs(retry, { retryAfter: undefined, random: Math.random(), nowMs: Date.now() }),
    signal,
    isBackground,
  )
  if (signal.aborted) throw error
}
