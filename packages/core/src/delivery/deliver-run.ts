import { countOutsideLimits, type CreateRunResponse } from '@runledger/protocol'
import type { ServiceClient } from '../api/service-client'
import { ApiError, AttachmentError, describeError } from '../model/errors'
import { isComplete, note, type Run } from '../model/run'
import { createRunOnce, type CreationPolicy, firstAnswered } from './create-run'
import { beginSending, type BegunUploads, sendAttachments } from './send-attachments'

export type RunResult = DeliveredRun | UndeliveredRun

export interface DeliveredRun {
  status: 'delivered'
  passed: boolean
  outsideLimits: number
  response: CreateRunResponse
  problems: string[]
  isComplete: boolean
}

/** The run is not on record: the service rejected it, or an option that is a function failed. */
export interface UndeliveredRun {
  status: 'failed'
  passed: boolean
  error: unknown
}

export function selectDelivered(results: readonly RunResult[]): DeliveredRun[] {
  return results.filter((result) => result.status === 'delivered')
}

/** Creates a run, sends its attachments and links them; skips and records what the service acknowledges. Never throws. */
export async function deliverRun(
  client: ServiceClient,
  run: Run,
  policy: CreationPolicy,
): Promise<RunResult> {
  const passed = run.request.run_passed
  try {
    const begun: BegunUploads = new Map()
    const response = run.progress.response ?? (await createMeanwhile({ client, run, policy }, begun))
    const failures = await sendAndLink({ client, run, begun }, deriveRunId(response))
    const isWhole = isComplete(run)
    if (isWhole) run.journal.done()
    else noteFailures(run, failures)
    const problems = [...(run.lostAttachments ?? []), ...failures.map(describeError)]
    const outsideLimits = passed ? countOutsideLimits(run.request) : 0
    return { status: 'delivered', passed, outsideLimits, response, isComplete: isWhole, problems }
  } catch (error) {
    noteFailures(run, [error])
    return { status: 'failed', passed, error }
  }
}

interface Delivery {
  client: ServiceClient
  run: Run
  policy: CreationPolicy
}

/** Once the service has accepted a first run, attachments are sent during the creation. */
async function createMeanwhile(
  { client, run, policy }: Delivery,
  begun: BegunUploads,
): Promise<CreateRunResponse> {
  let isOver = false
  const creating = createRunOnce(client, run, policy).finally(() => (isOver = true))
  const sendMeanwhile = async (): Promise<void> => {
    await firstAnswered(policy)
    if (policy.hasTaken && !isOver) beginSending(client, run, { begun, inline: policy.additions === 'all' })
  }
  void sendMeanwhile()
  return creating
}

async function sendAndLink(
  { client, run, begun }: Omit<Delivery, 'policy'> & { begun: BegunUploads },
  runId: string | undefined,
): Promise<unknown[]> {
  if (isComplete(run)) return []
  if (runId === undefined)
    return [new Error(`attachments: the service's response to run creation has no run id`)]
  for (let sending = run; ; sending = { ...run, findEarly: undefined }) {
    const failures = await sendAttachments(client, sending, begun)
    try {
      await linkReceived(client, run, runId)
      return failures
    } catch (error) {
      // A service drops attachments that are not linked in time, so old ids may be unknown.
      const mayHaveLostSome = error instanceof ApiError && error.statusCode === 404
      if (sending !== run || !mayHaveLostSome) return [...failures, toLinkError(run, error)]
    }
    note(run, { type: 'forgotten', attachments: listUnlinked(run) })
    begun.clear()
  }
}

async function linkReceived(client: ServiceClient, run: Run, runId: string): Promise<void> {
  const { ids } = run.progress
  const names = listUnlinked(run).filter((name) => ids.has(name))
  if (names.length === 0) return
  const received = names.map((name) => ids.get(name) as string)
  await client.linkAttachments(runId, received)
  note(run, { type: 'linked', attachments: names })
}

function listUnlinked({ attachments, progress }: Run): string[] {
  return attachments.map(({ name }) => name).filter((name) => !progress.linked.has(name))
}

function toLinkError(run: Run, error: unknown): AttachmentError {
  const count = listUnlinked(run).filter((name) => run.progress.ids.has(name)).length
  const message = `${count} attachments could not be linked: ${describeError(error)}`
  return new AttachmentError(message, { cause: error })
}

/** Records the refusal if there is one, else the first failure. */
function noteFailures(run: Run, failures: readonly unknown[]): void {
  const refused = failures.find((failure) => findRefusal(failure) !== undefined)
  const failure = refused ?? failures[0]
  if (failure === undefined) return
  note(run, {
    type: 'failed',
    message: describeError(failure),
    isRefused: refused !== undefined,
    statusCode: findRefusal(failure)?.statusCode,
    at: new Date().toISOString(),
  })
}

const REFUSALS = new Set([400, 401, 403, 404, 409, 413, 415, 422])

/** The response that refused a request for good. */
function findRefusal(failure: unknown): ApiError | undefined {
  const cause = failure instanceof AttachmentError ? failure.cause : failure
  return cause instanceof ApiError && REFUSALS.has(cause.statusCode) ? cause : undefined
}

/** Other services may return only `url`; the run's id is its last path segment (docs/interface.md#run-creation-in-v1). */
function deriveRunId({ id, url }: CreateRunResponse): string | undefined {
  if (id) return id
  const segment = url.split(/[?#]/, 1)[0]?.split('/').filter(Boolean).at(-1)
  try {
    return segment && decodeURIComponent(segment)
  } catch {
    return segment
  }
}
