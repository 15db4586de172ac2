import {
  type CreateRunResponse,
  MAX_INLINE_ATTACHMENTS,
  MAX_INLINE_TOTAL_BYTES,
  type TakenAttachment,
  type Step,
  TEST_FACTS,
} from '@runledger/protocol'
import type { ServiceClient } from '../api/service-client'
import { RunBatches } from './run-batches'
import { ApiError, NetworkError } from '../model/errors'
import { type Additions, note, type Run } from '../model/run'
import { deriveRetryDelayMs, mayHaveBeenDone } from '../transport/retrying-transport'
import { finishesWithin, wait } from '../util/time-limit'

/** How creations are retried; shared by all runs of a delivery. */
export interface CreationPolicy {
  maxRetries: number
  /** A run has used up its tries: others get one each until the service works again. */
  isDown: boolean
  /** Which additions the service accepts, as far as its responses show. */
  additions: Additions
  /** Resolves at the first response: other creations wait for it, so that only one learns what is rejected. */
  firstAnswer: Promise<void> | undefined
  /** The service has accepted a run, so attachments need not wait for theirs. */
  hasTaken: boolean
  batches: RunBatches | undefined
  signal: AbortSignal
}

/** Statuses of services that may reject unknown members or the length of a request. */
const REFUSED_ADDITIONS = new Set([400, 413, 422])

/**
 * Creates a run exactly once. Every try sends the same idempotency key and body. Some services ignore the key, so a run
 * that may exist is searched for by its `submission_id` before it is created again. A rejected run is sent once more
 * without our additions. @throws NetworkError, ApiError
 */
export async function createRunOnce(
  client: ServiceClient,
  run: Run,
  policy: CreationPolicy,
): Promise<CreateRunResponse> {
  const tellAnswered = await waitForFirst(policy)
  // Another process may have sent it, so its body stays.
  const creation: Creation = { client, run, policy, sent: run.hasWaited ? run.progress.additions : undefined }
  let mayExist = run.hasWaited
  try {
    for (let retry = 1; ; retry += 1) {
      try {
        const response = (mayExist && (await findCreated(creation))) || (await create(creation))
        policy.isDown = false
        policy.hasTaken = true
        note(run, { type: 'created', response })
        return response
      } catch (error) {
        if (giveUpAdditions(error, creation)) continue
        if (!mayHaveCreated(error)) throw findReason(error, creation)
        creation.refused = undefined
        mayExist = true
        tellAnswered()
        await waitForRetry(retry, policy, error)
      }
    }
  } finally {
    tellAnswered()
  }
}

/** The longest wait for the first response: a slow service delays only one run. */
const FIRST_ANSWER_MS = 2_000

/** Returns the function to call when this creation is answered. */
async function waitForFirst(policy: CreationPolicy): Promise<() => void> {
  let tell = (): void => undefined
  // The first of the runs that start together does not wait.
  if (policy.firstAnswer) await firstAnswered(policy)
  policy.firstAnswer ??= new Promise((resolve) => (tell = resolve))
  return tell
}

/** Resolves at the first response, or after a time limit. */
export async function firstAnswered({ firstAnswer }: CreationPolicy): Promise<void> {
  if (firstAnswer) await finishesWithin(firstAnswer, FIRST_ANSWER_MS)
}

interface Creation {
  client: ServiceClient
  run: Run
  policy: CreationPolicy
  /** Undefined until it is first sent. */
  sent: Additions | undefined
  /** The service's refusal of the fuller body. */
  refused?: { error: ApiError; sent: Additions } | undefined
}

async function findCreated({ client, run, sent }: Creation): Promise<CreateRunResponse | undefined> {
  const found = await client.findRun(run.submissionId)
  const inline = listInline(run, sent)
  if (!found?.id || inline.length === 0) return found
  return { ...found, inline_attachments: selectTaken(inline, await client.findLinked(found.id)) }
}

async function create(creation: Creation): Promise<CreateRunResponse> {
  const { client, run, policy } = creation
  const makeOwnBody = (): string => {
    creation.sent ??= setAdditions(run, lesserOf(run.progress.additions, policy.additions))
    return makeBody(run, creation.sent)
  }
  const response = await (policy.batches?.isFor(client)
    ? policy.batches.create(makeOwnBody, run.submissionId)
    : client.createRun(makeOwnBody, run.submissionId))
  const taken = selectTaken(listInline(run, creation.sent), response.inline_attachments)
  if (creation.sent === 'all' && taken === undefined) policy.additions = lesserOf(policy.additions, 'facts')
  if (creation.sent === 'all' && taken && client.hasBatches) policy.batches ??= new RunBatches(client)
  // A run that was too long says nothing about others.
  if (creation.refused)
    policy.additions = lesserOf(
      policy.additions,
      creation.refused.error.statusCode === 413 ? 'facts' : 'none',
    )
  return { ...response, inline_attachments: taken }
}

/** Recorded before the run is sent: from then on, no process may send another body. */
function setAdditions(run: Run, sent: Additions): Additions {
  if (sent !== run.progress.additions) note(run, { type: 'additions', sent })
  return sent
}

function lesserOf(...both: [Additions, Additions]): Additions {
  return (['none', 'facts'] as const).find((less) => both.includes(less)) ?? 'all'
}

/** True if the run is to be sent again without additions, which the service may not accept. */
function giveUpAdditions(error: unknown, creation: Creation): boolean {
  const { run, sent = 'none', refused } = creation
  if (refused || !isRefusal(error) || makeBody(run, sent) === makeBody(run, 'none')) return false
  creation.refused = { error, sent }
  creation.sent = setAdditions(run, 'none')
  return true
}

function findReason(error: unknown, { run, refused }: Creation): unknown {
  if (!refused || !isRefusal(error)) return error
  setAdditions(run, refused.sent)
  return refused.error
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && REFUSED_ADDITIONS.has(error.statusCode)
}

/** Deterministic: the same idempotency key must go with the same body, in any process. */
function makeBody(run: Run, sent: Additions): string {
  const { request } = run
  const all = selectSteps(request.steps ?? [], sent === 'all')
  // An empty list asks whether the service accepts additions; without an answer it gets no details either.
  if (sent === 'all')
    return JSON.stringify({ ...request, steps: all, inline_attachments: listInline(run, sent) })
  if (sent === 'facts') return JSON.stringify({ ...request, steps: all })
  const steps = all.map((step) =>
    Object.fromEntries(
      Object.entries(step).filter(([name]) => !(TEST_FACTS as readonly string[]).includes(name)),
    ),
  )
  const unit = { ...request.unit_under_test, batch_number: undefined }
  return JSON.stringify({ ...request, unit_under_test: unit, steps, skipped: undefined })
}

type RecordedStep = Step & { isDetail?: true }

/** A service without our additions would show details as tests: it gets none. Inner steps move to the nearest sent outer step. */
function selectSteps(steps: readonly RecordedStep[], hasDetails: boolean): Step[] {
  const places: (number | undefined)[] = []
  let count = 0
  for (const { isDetail, parent } of steps)
    places.push(isDetail && !hasDetails ? places[parent ?? -1] : count++)
  return steps.flatMap(({ isDetail, ...step }) =>
    isDetail && !hasDetails ? [] : { ...step, parent: places[step.parent ?? -1] },
  )
}

/** True if nothing shows whether the service created the run. */
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
  await wait(deriveRetryDelayMs(retry), signal)
  if (signal.aborted) throw error
}

interface InlineText {
  name: string
  content_type: string
  text: string
}

function listInline({ attachments }: Run, sent: Additions | undefined): InlineText[] {
  if (sent !== 'all') return []
  let leftBytes = MAX_INLINE_TOTAL_BYTES
  const inline = attachments.flatMap(({ name, contentType, content: text }) => {
    if (typeof text !== 'string' || Buffer.byteLength(text) > leftBytes) return []
    leftBytes -= Buffer.byteLength(text)
    return [{ name, content_type: contentType, text }]
  })
  return inline.slice(0, MAX_INLINE_ATTACHMENTS)
}

function selectTaken(
  inline: readonly InlineText[],
  taken: readonly TakenAttachment[] | undefined,
): TakenAttachment[] | undefined {
  return taken?.filter(({ name }) => inline.some((given) => given.name === name))
}
