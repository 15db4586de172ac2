import type { DeliverableAttachment } from '../delivery/deliverable-run'
import type { EarlyUpload } from '../delivery/early-upload'
import type { EntryFolder } from './entry-folder'

interface Receipt {
  id: string | undefined
  pending: Promise<string | undefined>
}

/**
 * What the service has received of one run before its delivery. A run is written down again when it changes, so an id
 * holds only for an attachment with the same name and the same bytes.
 */
export class EarlyReceipts {
  readonly #receipts = new Map<string, Receipt>()
  readonly #offered = new Set<string>()

  constructor(private readonly early: EarlyUpload) {}

  /** Has the attachments sent that have not been offered yet, and do not go with their run; ids are written down as they come. */
  offer(attachments: readonly DeliverableAttachment[], entry: EntryFolder): void {
    const fresh = attachments.filter(
      (attachment) => !attachment.isInline && !this.#offered.has(keyOf(attachment)),
    )
    for (const attachment of fresh) this.#offered.add(keyOf(attachment))
    this.early.offer(
      fresh.map((attachment) => ({
        attachment,
        onBegin: (sent) => this.#note(attachment, entry, sent),
      })),
    )
  }

  /** The id of an attachment that has been received. */
  find(attachment: DeliverableAttachment): string | undefined {
    return this.#receipts.get(keyOf(attachment))?.id
  }

  /** The id of one that is under way; it answers undefined when that came to nothing. */
  findPending(attachment: DeliverableAttachment): Promise<string | undefined> | undefined {
    return this.#receipts.get(keyOf(attachment))?.pending
  }

  #note(attachment: DeliverableAttachment, entry: EntryFolder, sent: Promise<string | undefined>): void {
    const receipt: Receipt = { id: undefined, pending: sent }
    this.#receipts.set(keyOf(attachment), receipt)
    receipt.pending = sent.then(async (id) => {
      receipt.id = id
      const { name, sha256 } = attachment
      if (id !== undefined)
        await entry.note({ event: 'received', attachment: name, id, sha256 }).catch(() => undefined)
      return id
    })
  }
}

function keyOf({ name, contentType, sha256 }: DeliverableAttachment): string {
  return JSON.stringify([name, contentType, sha256])
}
