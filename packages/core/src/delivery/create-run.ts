import type { CreateRunAnswer } from '@runledger/protocol'
import { deriveRetryDelayMs } from '../transport/retry-delay'
import { wait } from '../transport/time-limit'
import { noteProgress, type DeliverableRun } from './deliverable-run'
import { isAmbiguous } from './failure-kind'
import type { ServiceClient } from './service-client'

/** How creations that may or may not have been done are tried again; one for all runs of a delivery. */
export interface CreationPolicy {
  maxRetries: number
  /** A run has let down all its tries: others get one each until the service answers well again. */
  isDown: boolean
  signal: AbortSignal
}

/**
 * Creates a run exactly once. Every try has the same idempotency key; and since not every service heeds that, a run
 * that may have been created already is looked for by its report variable before it is created again.
 * @throws NetworkError, ApiError
 */
export async function createRunOnce(
  client: ServiceClient,
  run: DeliverableRun,
  policy: CreationPolicy,
): Promise<CreateRunAnswer> {
  let mayExist = run.hasWaited
  for (let retry = 1; ; retry += 1) {
    try {
      const found = mayExist ? await client.findRun(run.submissionId) : undefined
      const answer = found ?? (await client.createRun(run.requestJson, run.submissionId))
      policy.isDown = false
      await noteProgress(run, { event: 'created', answer })
      return answer
    } catch (error) {
      if (!isAmbiguous(error)) throw error
      mayExist = true
      await waitForRetry(retry, policy, error)
    }
  }
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
