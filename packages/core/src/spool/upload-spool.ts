import { openDelivery } from '../delivery/open-delivery'
import { ConfigError } from '../model/errors'
import type { Environment, Options } from '../config/options'
import { resolveOptions } from '../config/resolve-options'
import { boundSpool, SPOOL_BOUNDS, type DroppedEntry } from './bound-spool'
import type { FoundSpool } from './find-spools'
import { refuseOtherService, sweepSpool, type SweptEntry } from './sweep-spool'

/** The longest that a timer takes, 24 days: an upload by hand ends when it is done, or stopped. */
const NO_DEADLINE_MS = 2 ** 31 - 1
const TRANSFER_TIMEOUT_MS = 60 * 60 * 1000
const LONGEST_WAIT_MS = 60 * 1000

export interface UploadSettings {
  /** `url` sends everything there, whatever service it was meant for. */
  options: Options
  env: Environment
  onStart?: (count: number) => void
  onEntry?: (swept: SweptEntry) => void
}

/** What became of a spool's entries, those included that the service had refused before. */
export interface SpoolUpload {
  swept: SweptEntry[]
  dropped: DroppedEntry[]
}

/**
 * Sends all that waits in a spool, without a deadline but with a limit on every request.
 * @throws ConfigError when there is something to send, and no address or key to send it with.
 */
export async function uploadSpool(
  { spool, projectRoot }: FoundSpool,
  { options, env, onStart, onEntry }: UploadSettings,
): Promise<SpoolUpload> {
  const listed = await spool.list()
  onStart?.(listed.length)
  await spool.removeLeftovers()
  if (listed.length === 0) return { swept: [], dropped: [] }
  const resolved = resolveOptions(options, env, projectRoot)
  const { url, apiKey } = resolved
  if (apiKey === undefined || url === undefined) throw new ConfigError(NO_SERVICE)
  const delivery = await openDelivery({
    options: resolved,
    url,
    apiKey,
    env,
    deadlineAtMs: Date.now() + NO_DEADLINE_MS,
    transferTimeoutMs: TRANSFER_TIMEOUT_MS,
    longestWaitMs: LONGEST_WAIT_MS,
  })
  const refuse: Parameters<typeof sweepSpool>[0]['refuse'] = (entry) =>
    options.url === undefined ? refuseOtherService(entry, url) : undefined
  const swept = await sweepSpool({ spool, delivery, refuse, ...(onEntry && { onEntry }) }, listed).finally(
    () => delivery.close(),
  )
  return { swept, dropped: await boundSpool(spool, SPOOL_BOUNDS).catch(() => []) }
}

const NO_SERVICE =
  'no service to send to: set RUNLEDGER_URL and RUNLEDGER_API_KEY, or start a service in this folder: npx runledger serve'
