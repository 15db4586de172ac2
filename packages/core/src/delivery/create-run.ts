import {
  type CreateRunResponse,
  MAX_INLINE_ATTACHMENTS,
  MAX_INLINE_TOTAL_BYTES,
  type TakenAttachment,
} from '@runledger/protocol'
import type { ServiceClient } from '../api/service-client'
import { ApiError, NetworkError } from '../model/errors'
import { note, type Run } from '../model/run'
import { deriveRetryDelayMs, mayHaveBeenDone } from '../transport/retrying-transport'
import { wait } from '../util/time-limit'

/** How creations that may or may not have been done are tried again; one for all runs of a delivery. */
export interface CreationPolicy {
  maxRetries: number
  /** A run has used up its tries: others get one each until the service answers well again. */
  isDown: boolean
  /** The service does not take attachments with the creation of their run. */
  refusesInline: boolean
  signal: AbortSignal
}

/** Responses of a service that may refuse keys that it does not know, or the length of a request. */
const INLINE_REFUSALS = new Set([400, 413, 422])

/**
 * Creates a run exactly once, its short texts with it. Every try has the same idempotency key and body; and since not
 * every service honours that, a run that may have been created already is looked for by its report variable before it
 * is created again.
 * @throws NetworkError, ApiError
 */
export async function createRunOnce(
  client: ServiceClient,
  run: Run,
  policy: CreationPolicy,
): Promise<CreateRunResponse> {
  // What another process may have sent is not changed any more.
  const creation: Creation = { client, run, policy, inline: run.hasWaited ? listInline(run) : undefined }
  let mayExist = run.hasWaited
  for (let retry = 1; ; retry += 1) {
    try {
      const response = (mayExist && (await findCreated(creation))) || (await create(creation))
      policy.isDown = false
      note(run, { type: 'created', response })
      return response
    } catch (error) {
      if (refusesInline(error, creation)) continue
      if (!mayHaveCreated(error)) throw error
      mayExist = true
      await waitForRetry(retry, policy, error)
    }
  }
}

interface Creation {
  client: ServiceClient
  run: Run
  policy: CreationPolicy
  /** What goes with the run; undefined until it is sent for the first time. */
  inline: InlineText[] | undefined
}

async function findCreated({ client, run, inline = [] }: Creation): Promise<CreateRunResponse | undefined> {
  const found = await client.findRun(run.submissionId)
  if (!found?.id || inline.length === 0) return found
  return { ...found, inline_attachments: selectTaken(inline, await client.findLinked(found.id)) }
}

async function create(creation: Creation): Promise<CreateRunResponse> {
  const { client, run, policy } = creation
  const response = await client.createRun(() => {
    creation.inline ??= policy.refusesInline ? giveUpInline(run) : listInline(run)
    const inline_attachments = creation.inline.length === 0 ? undefined : creation.inline
    return JSON.stringify({ ...run.request, inline_attachments })
  }, run.submissionId)
  const { inline = [] } = creation
  const taken = selectTaken(inline, response.inline_attachments)
  if (inline.length > 0) policy.refusesInline = taken === undefined
  return { ...response, inline_attachments: taken }
}

/** Noted before the run is sent without them: from then on no process may send another body. */
function giveUpInline(run: Run): [] {
  if (listInline(run).length > 0) note(run, { type: 'inline-given-up' })
  return []
}

/** True when the run is to be sent again without attachments in its creation, which such a service may not take. */
function refusesInline(error: unknown, creation: Creation): boolean {
  const isRefusal = error instanceof ApiError && INLINE_REFUSALS.has(error.statusCode)
  if (!isRefusal || !creation.inline?.length) return false
  creation.policy.refusesInline = true
  creation.inline = giveUpInline(creation.run)
  return true
}

/** True when nothing tells whether the service has created the run. */
function mayHaveCreated(error: unknown): boolean {
  if (error instanceof NetworkError) return error.wasSent
  return error instanceof ApiError && mayHaveBeenDone(error.statusCode)
}

/** @throws the error itself when there is no other try. */
async function waitForRetry(retry: number, policy: CreationPolicy, error: unknown): Promise<void> {
  const { signal } = policy
  if (signal.aborted || policy.isDown) throw error
  if (retry > policy.maxRetries) {
    policy.isDown = true
    throw error
  }
  await wait(
    deriveRetryDelayMs(retry, { retryAfter: undefined, random: Math.random(), nowMs: Date.now() }),
    signal,
  )
  if (signal.aborted) throw error
}

/** A short text of a run that goes with its creation. */
interface InlineText {
  name: string
  content_type: string
  text: string
}

/**
 * The attachments that go with the creation of their run: always the same ones, since the same idempotency key must go
 * with the same body, in any process. None once that has been given up for the run.
 */
function listInline({ attachments, progress }: Run): InlineText[] {
  if (!progress.mayInline) return []
  let leftBytes = MAX_INLINE_TOTAL_BYTES
  const inline = attachments.flatMap(({ name, contentType, content, sizeBytes }) => {
    if (!('text' in content) || sizeBytes > leftBytes) return []
    leftBytes -= sizeBytes
    return [{ name, content_type: contentType, text: content.text }]
  })
  return inline.slice(0, MAX_INLINE_ATTACHMENTS)
}

/** Of the attachments that a service says it has taken, those that it was given. */
function selectTaken(
  inline: readonly InlineText[],
  taken: readonly TakenAttachment[] | undefined,
): TakenAttachment[] | undefined {
  if (inline.length === 0) return undefined
  return taken?.filter(({ name }) => inline.some((given) => given.name === name))
}
