import { setMaxListeners } from 'node:events'
import { ServiceClient } from '../api/service-client'
import type { SendingOptions } from '../config/resolve-options'
import type { Run, ServicePaths } from '../model/run'
import type { ExecutionEndLine } from '../spool/log-lines'
import { type Connection, createQueuedTransport } from '../transport/connection'
import { createRetryingTransport } from '../transport/retrying-transport'
import { startTimeLimit } from '../util/time-limit'
import type { CreationPolicy } from './create-run'
import { deliverRun, type RunResult } from './deliver-run'
import { createPutExecution } from './execution-notice'

export interface SenderSettings {
  options: SendingOptions
  deadlineAtMs: number
  transferTimeoutMs: number
  /** A longer `Retry-After` is not waited for, in milliseconds; by default the deadline. */
  longestWaitMs?: number
}

export interface Sender extends Pick<ServiceClient, 'findVerdicts' | 'findRunIds'> {
  signal: AbortSignal
  send(run: Run): Promise<RunResult>
  /** Reports the end of an earlier execution. Never rejects. */
  endExecution(end: ExecutionEndLine): Promise<void>
  /** Ends the timers; the opener closes the connection. */
  close(): void
}

/** Reserved for linking at the end if other files do not get through. */
const LINKING_MS = 5_000

export function openSender({ transport, limit }: Connection, settings: SenderSettings): Sender {
  const { options, deadlineAtMs, transferTimeoutMs, longestWaitMs } = settings
  const { maxRetries, requestTimeoutMs } = options
  const retrying = createRetryingTransport(transport, { maxRetries, deadlineAtMs, longestWaitMs })
  const leftMs = Math.max(0, deadlineAtMs - Date.now())
  const deadline = startTimeLimit(leftMs)
  const transfers = startTimeLimit(leftMs - Math.min(LINKING_MS, leftMs / 5))
  // More than the ten listeners that Node warns about.
  setMaxListeners(0, deadline.signal, transfers.signal)
  const limits = {
    requestTimeoutMs,
    transferTimeoutMs,
    signal: deadline.signal,
    transferSignal: transfers.signal,
  }
  const queued = createQueuedTransport(retrying, limit)
  const clientAt = (paths?: ServicePaths) => new ServiceClient(queued, { ...options, ...paths }, limits)
  const client = clientAt()
  const policy: CreationPolicy = {
    maxRetries,
    isDown: false,
    additions: 'all',
    firstAnswer: undefined,
    hasTaken: false,
    batches: undefined,
    signal: deadline.signal,
  }
  return {
    signal: deadline.signal,
    send: (run) => deliverRun(run.paths ? clientAt(run.paths) : client, run, policy),
    endExecution: async ({ execution, request }) => {
      const put = createPutExecution(options, execution, request)
      await queued.send({ ...put, timeoutMs: requestTimeoutMs, signal: deadline.signal })
    },
    findVerdicts: (runIds) => client.findVerdicts(runIds),
    findRunIds: (submissionIds) => client.findRunIds(submissionIds),
    close: () => {
      deadline.stop()
      transfers.stop()
    },
  }
}
