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
  /** When everything must be over, in milliseconds since the Unix epoch. */
  deadlineAtMs: number
  /** Longest time that one file's bytes may take, in milliseconds. */
  transferTimeoutMs: number
  /** A service that asks for a longer wait (`Retry-After`) is not waited for, in milliseconds; the deadline by default. */
  longestWaitMs?: number
}

/** Sends runs within one deadline. */
export interface Sender extends Pick<ServiceClient, 'findVerdicts' | 'findRunIds'> {
  /** Aborts at the deadline. */
  signal: AbortSignal
  /** Never throws. */
  send(run: Run): Promise<RunResult>
  /** Tells the service that an execution of before has ended. Never rejects; what goes wrong is not told. */
  endExecution(end: ExecutionEndLine): Promise<void>
  /** Ends the timers; the connection is closed by whoever opened it. */
  close(): void
}

/** Longest part of the deadline that is kept for linking what has been sent, when other files do not get through. */
const LINKING_MS = 5_000

export function openSender({ transport, limit }: Connection, settings: SenderSettings): Sender {
  const { options, deadlineAtMs, transferTimeoutMs, longestWaitMs } = settings
  const { maxRetries, requestTimeoutMs } = options
  const retrying = createRetryingTransport(transport, { maxRetries, deadlineAtMs, longestWaitMs })
  const leftMs = Math.max(0, deadlineAtMs - Date.now())
  const deadline = startTimeLimit(leftMs)
  const transfers = startTimeLimit(leftMs - Math.min(LINKING_MS, leftMs / 5))
  // Every request under way listens to them: there may be more than the ten that Node warns of.
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
