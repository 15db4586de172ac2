import type { Database } from '../../../storage/database/database'
import type { Log } from '../../../base/log'
import { recordKeyUse } from './store'

/** Kept in memory until `flush`: a busy key costs one row for each flush. A crash loses what was not flushed. */
export class KeyUses {
  readonly #unwritten = new Map<number, number>()

  note(keyId: number, nowUs: number): void {
    this.#unwritten.set(keyId, nowUs)
  }

  /** Undefined when the database knows it. */
  lastUsedAtUs(keyId: number): number | undefined {
    return this.#unwritten.get(keyId)
  }

  async flush(database: Database): Promise<void> {
    const uses = [...this.#unwritten]
    if (uses.length === 0) return
    await database.write(async ({ query }) => {
      for (const [keyId, usedAtUs] of uses) await recordKeyUse(query, keyId, usedAtUs)
    })
    for (const [keyId, usedAtUs] of uses) {
      if (this.#unwritten.get(keyId) === usedAtUs) this.#unwritten.delete(keyId)
    }
  }
}

const RECORD_INTERVAL_MS = 60_000

interface RecordingParts {
  keyUses: KeyUses
  database: Database
  log: Log
}

/** Once a minute. Returns a function that stops it after a last write. */
export function startRecordingKeyUses({ keyUses, database, log }: RecordingParts): () => Promise<void> {
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
