import type { Context } from '../context'

const RECORD_INTERVAL_MS = 60_000

/** Writes when keys were last used, once a minute. Returns what ends that, after a last time. */
export function startRecordingKeyUses({
  keyUses,
  database,
  log,
}: Pick<Context, 'keyUses' | 'database' | 'log'>): () => Promise<void> {
  const record = async () => {
    await keyUses
      .flush(database)
      .catch((error: unknown) => log.error('Recording when keys were used failed', error))
  }
  const timer = setInterval(() => void record(), RECORD_INTERVAL_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    return record()
  }
}
