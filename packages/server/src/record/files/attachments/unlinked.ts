import {
  formatTimestampUs,
  type ListUnlinkedQuery,
  type Page,
  type UnlinkedAttachment,
} from '@runledger/protocol'
import { statfs } from 'node:fs/promises'
import { type BlobParts, removeBlobs } from '../blobs/store'
import type { Clock } from '../../../base/clock'
import { variableOf } from '../../../base/config/budgets'
import type { ServerConfig } from '../../../base/config/server-config'
import { pageFrom } from '../../../storage/database/sorted-page'
import { HttpError } from '../../../base/errors'
import { mapKeyProcedure } from '../../access/keys/key-procedure'
import { hasActiveKeyOf } from '../../access/keys/store'
import type { KeyOwner, UploaderColumns } from '../../access/keys/principal'
import type { Metrics } from '../../../base/metrics'
import { mapPerson, mapStation } from '../../access/users/store'
import { dropReferences } from './store'
import { deleteUnlinkedOf, listUnlinked, sumUnlinkedBytes } from './unlinked-store'

interface Held {
  /** The last count, and bytes received since. */
  bytes: number
  /** Bytes that are being received. */
  announced: number
  countedAt: number
}

// Above the limit every upload counts again, because links are not tracked here.
const COUNTED_AGAIN_AFTER_MS = 1_000

const RETRY_AFTER_SECONDS = 60

// One transaction each: other writes wait for it.
const BATCH_SIZE = 100

interface UnlinkedParts extends BlobParts {
  config: Pick<ServerConfig, 'dataDir' | 'storage' | 'maxUnlinkedBytes' | 'maxAttachmentBytes'>
  metrics: Metrics
  clock: Clock
}

export class UnlinkedBytes {
  readonly #parts: UnlinkedParts
  readonly #held = new Map<string, Held>()

  constructor(parts: UnlinkedParts) {
    this.#parts = parts
  }

  /**
   * Call it before the first byte, and the returned function with the bytes that came. Until then, an upload without a length
   * counts as the largest possible. @throws HttpError TOO_MANY_REQUESTS
   */
  async begin(owner: UploaderColumns, length: number | undefined): Promise<(received: number) => void> {
    const held = await this.#find(owner)
    const isTooMuch = (most: number) => held.bytes + held.announced + (length ?? 0) > most
    if (isTooMuch(await this.#findMost(held))) await this.#count(owner, held)
    const most = await this.#findMost(held)
    // No await from here on, so that concurrent uploads are counted one after the other.
    if (isTooMuch(most)) throw this.#refuse(held, most)
    const announced = length ?? this.#parts.config.maxAttachmentBytes
    held.announced += announced
    return (received) => {
      held.announced -= announced
      held.bytes += received
    }
  }

  /** Deletes nothing more once the owner has a key again, because the attachments may be those of that key. */
  async deleteAllOf(owner: KeyOwner): Promise<void> {
    const { database, clock } = this.#parts
    for (let count = BATCH_SIZE; count === BATCH_SIZE;) {
      const { deleted, orphans } = await database.write(async ({ query }) => {
        const hasKey = await hasActiveKeyOf(query, owner, clock())
        const rows = hasKey ? [] : await deleteUnlinkedOf(query, owner, BATCH_SIZE)
        return { deleted: rows.length, orphans: await dropReferences(query, rows) }
      })
      await removeBlobs(this.#parts, orphans)
      count = deleted
    }
  }

  async #find(owner: UploaderColumns): Promise<Held> {
    const name = `${owner.created_by_user_id} ${owner.created_by_station_id} ${owner.created_by_procedure_id}`
    let held = this.#held.get(name)
    if (!held) {
      held = { bytes: 0, announced: 0, countedAt: -Infinity }
      this.#held.set(name, held)
      await this.#count(owner, held)
    }
    return held
  }

  async #count(owner: UploaderColumns, held: Held): Promise<void> {
    if (performance.now() - held.countedAt < COUNTED_AGAIN_AFTER_MS) return
    held.countedAt = performance.now()
    held.bytes = await sumUnlinkedBytes(this.#parts.database.query, owner)
  }

  #refuse({ bytes }: Held, most: number): HttpError {
    this.#parts.metrics.countExceeded('unlinked')
    return new HttpError(
      'TOO_MANY_REQUESTS',
      `The owner of this key has uploaded ${bytes} bytes that are linked to nothing; with this there would be more than ${Math.floor(most)} (${variableOf('maxUnlinkedBytes')}, or half of the disk). Link attachments to their runs, or delete them with the key of an admin (GET and DELETE /v2/attachments).`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    )
  }

  /** At most half of the room on the disk, so that others can store their runs. */
  async #findMost({ bytes }: Held): Promise<number> {
    const { dataDir, storage, maxUnlinkedBytes } = this.#parts.config
    if (storage) return maxUnlinkedBytes
    const { bavail, bsize } = await statfs(dataDir)
    return Math.min(maxUnlinkedBytes, (bavail * bsize + bytes) / 2)
  }
}

export async function listUnlinkedPage(
  { database }: Pick<BlobParts, 'database'>,
  query: ListUnlinkedQuery,
): Promise<Page<UnlinkedAttachment>> {
  return pageFrom(await listUnlinked(database.query, query), query.limit, (row) => ({
    id: row.public_id,
    name: row.name,
    content_type: row.content_type,
    size: row.size_bytes,
    created_at: formatTimestampUs(row.created_at_us),
    created_by_user: mapPerson(row),
    created_by_station: mapStation(row),
    created_by_procedure: mapKeyProcedure(row),
  }))
}
