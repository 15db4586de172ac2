import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BlobStore } from '../storage/blobs/blob-store'
import type { Database } from '../storage/database/database'
import { HttpError } from '../base/errors'
import { isDiskFull } from '../storage/folder/disk-errors'
import { readInternal, writeSettingRow } from '../storage/database/internal-settings'

const CHECK_INTERVAL_MS = 1_000
const FILE_BYTES = 64 * 1024
const PROBE = 'internal.probe'

/** Checks at most once a second, because `/readyz` needs no key. */
export class Readiness {
  readonly #database: Database
  readonly #blobs: BlobStore
  #answer: Promise<void> | undefined
  #askedAtMs = -Infinity

  constructor({ database, blobs }: { database: Database; blobs: BlobStore }) {
    this.#database = database
    this.#blobs = blobs
  }

  /** @throws HttpError SERVICE_UNAVAILABLE, or what a full disk throws */
  check(): Promise<void> {
    if (!this.#answer || performance.now() - this.#askedAtMs >= CHECK_INTERVAL_MS) {
      this.#askedAtMs = performance.now()
      this.#answer = this.#try()
    }
    return this.#answer
  }

  async #try(): Promise<void> {
    await this.#useDatabase().catch(refuseAs('The database does not answer.'))
    await this.#storeFile().catch(refuseAs('No file can be stored.'))
  }

  async #useDatabase(): Promise<void> {
    const { query } = this.#database
    await this.#database.write((transaction) => writeSettingRow(transaction, PROBE, randomUUID()))
    await query.selectFrom('runs').selectAll().orderBy('id', 'desc').limit(1).execute()
    // Do not compare the value: another service may have written since.
    if ((await readInternal(query, PROBE)) === undefined) throw new Error('the written row is missing')
  }

  async #storeFile(): Promise<void> {
    const staged = await this.#blobs.stage(Readable.from([Buffer.alloc(FILE_BYTES)]), FILE_BYTES)
    await staged.discard()
  }
}

function refuseAs(message: string): (error: unknown) => never {
  return (error) => {
    if (isDiskFull(error)) throw error
    throw new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5, cause: error })
  }
}
