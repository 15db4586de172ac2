import type { Environment, Options } from '../config/options'
import { requireService, resolveOptions } from '../config/resolve-options'
import { type DroppedRuns, enforceBounds, SPOOL_BOUNDS } from '../spool/retention'
import type { FoundSpool } from '../spool/spool-place'
import { listWaitingRuns } from '../spool/waiting-runs'
import { openConnection } from '../transport/connection'
import { printWarning } from '../util/print-warning'
import { type BacklogResult, type BacklogSettings, deliverBacklog, refuseOtherService } from './backlog'
import { openSender } from './sender'

/** The longest delay of a timer, 24 days: an upload by hand ends when it is done or stopped. */
const NO_DEADLINE_MS = 2 ** 31 - 1
const TRANSFER_TIMEOUT_MS = 60 * 60 * 1000
const LONGEST_WAIT_MS = 60 * 1000

export interface UploadSettings {
  /** `url` overrides the service that the runs were meant for. */
  options: Options
  env: Environment
  /** Called with how many runs wait before the first is sent. */
  onStart?: ((count: number) => void) | undefined
  onResult?: ((result: BacklogResult) => void) | undefined
}

export interface SpoolUpload {
  results: BacklogResult[]
  dropped: DroppedRuns[]
}

/** Sends all that waits, without a deadline but with a limit for each request. @throws ConfigError without address or key */
export async function uploadSpool(
  { spool, projectRoot, isForeign }: FoundSpool,
  { options, env, onStart, onResult }: UploadSettings,
): Promise<SpoolUpload> {
  await spool.removeUnfinished()
  const executions = await spool.list()
  if (executions.length === 0) return { results: [], dropped: [] }
  const resolved = requireService(resolveOptions(options, env, projectRoot), 'send to')
  for (const sentence of resolved.ignored) printWarning(sentence)
  onStart?.((await listWaitingRuns(spool)).length)
  const connection = await openConnection(resolved, env)
  const sender = openSender(connection, {
    options: resolved,
    deadlineAtMs: Date.now() + NO_DEADLINE_MS,
    transferTimeoutMs: TRANSFER_TIMEOUT_MS,
    longestWaitMs: LONGEST_WAIT_MS,
  })
  const skipReason: BacklogSettings['skipReason'] = (head) =>
    options.url === undefined ? refuseOtherService(head, { ...resolved, projectRoot }) : undefined
  try {
    const { procedureId } = resolved
    const results = await deliverBacklog(
      { spool, isForeign, sender, procedureId, skipReason, onResult },
      executions,
    )
    return { results, dropped: await enforceBounds(spool, SPOOL_BOUNDS).catch(() => []) }
  } finally {
    sender.close()
    await connection.transport.close()
  }
}
