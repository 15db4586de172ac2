import type { DeliverableAttachment } from '../delivery/deliverable-run'
import type { EarlyUpload } from '../delivery/early-upload'
import type { EntryFolder } from './entry-folder'

/** An attachment that has been offered, and what came of it. */
interface Offer {
  attachment: DeliverableAttachment
  digest: Promise<Pick<DeliverableAttachment, 'sha256'>>
  id?: string | undefined
  /** Once it is under way. */
  pending?: Promise<string | undefined>
  /** The journal has the id. */
  isNoted?: boolean
}

/**
 * What the service has received of one run before its delivery. A run is written down again when it changes, so an id
 * holds only for an attachment with the same name and the same bytes.
 */
export class EarlyReceipts {
  /** By name, type and digest. */
  readonly #offers = new Map<string, Offer>()
  /** Of all that was offered, also where the digest is still to come. */
  readonly #names = new Set<string>()

  constructor(private readonly early: EarlyUpload) {}

  /** Has the attachments sent that have not been offered yet, and do not go with their run; ids are written down as they come. */
  offer(attachments: readonly DeliverableAttachment[], entry: EntryFolder): void {
    const fresh = attachments.filter(
      (attachment) => !attachment.isInline && !this.#offers.has(keyOf(attachment)),
    )
    const offers = fresh.map((attachment): Offer => ({ attachment, digest: Promise.resolve(attachment) }))
    for (const offer of offers) this.#add(offer, offer.attachment.sha256)
    this.#send(offers, entry)
  }

  /**
   * The same for one whose digest is still to come; nothing where its name has been offered before, perhaps with the same
   * bytes. It must be known to `offer` when whoever digests it goes on.
   */
  offerCopy(attachment: DeliverableAttachment, digest: Offer['digest'], entry: EntryFolder): void {
    if (this.#names.has(attachment.name)) return
    const offer: Offer = { attachment, digest }
    this.#names.add(attachment.name)
    // Whoever keeps it tells what is wrong with it.
    digest.then(({ sha256 }) => this.#add(offer, sha256)).catch(() => this.#names.delete(attachment.name))
    this.#send([offer], entry)
  }

  /** The id of an attachment that has been received. */
  find(attachment: DeliverableAttachment): string | undefined {
    return this.#offers.get(keyOf(attachment))?.id
  }

  /** The id of one that is under way; it answers undefined when that came to nothing. */
  findPending(attachment: DeliverableAttachment): Promise<string | undefined> | undefined {
    return this.#offers.get(keyOf(attachment))?.pending
  }

  /** Where bytes of these lie that need not be synced: the journal says that the service has them, under each name. */
  async listReceived(attachments: readonly DeliverableAttachment[]): Promise<Set<string>> {
    const received = new Set<string>()
    const missing = new Set<string>()
    for (const attachment of attachments) {
      if (!('path' in attachment.source)) continue
      const offer = this.#offers.get(keyOf(attachment))
      if (offer?.id !== undefined) await offer.pending
      const paths = offer?.isNoted ? received : missing
      paths.add(attachment.source.path)
    }
    return new Set([...received].filter((each) => !missing.has(each)))
  }

  #add(offer: Offer, sha256: string | undefined): void {
    this.#offers.set(keyOf({ ...offer.attachment, sha256 }), offer)
    this.#names.add(offer.attachment.name)
  }

  #send(offers: readonly Offer[], entry: EntryFolder): void {
    const toSend = offers.map((offer) => ({
      attachment: offer.attachment,
      onBegin: (sent: Promise<string | undefined>): void => {
        offer.pending = sent.then((id) => receive(offer, id, entry))
      },
    }))
    this.early.offer(toSend)
  }
}

/** Another process must know which bytes the service has; where that cannot be written down, this one still does. */
async function receive(
  offer: Offer,
  id: string | undefined,
  entry: EntryFolder,
): Promise<string | undefined> {
  offer.id = id
  if (id === undefined) return undefined
  try {
    const { sha256 } = await offer.digest
    await entry.note({ event: 'received', attachment: offer.attachment.name, id, sha256 })
    offer.isNoted = true
  } catch {
    // The bytes stay needed on the disk.
  }
  return id
}

function keyOf({ name, contentType, sha256 }: DeliverableAttachment): string {
  return JSON.stringify([name, contentType, sha256])
}
