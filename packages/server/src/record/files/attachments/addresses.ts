import type { RunAttachment } from '@runledger/protocol'
import { isWebPage, isTrace } from '@runledger/presentation'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Clock, US_PER_SECOND } from '../../../base/clock'
import { HttpError } from '../../../base/errors'
import type { LinkedAttachmentRow } from './store'

export type AddressPurpose = 'upload' | 'download'

export interface SignedAddress {
  purpose: AddressPurpose
  id: string
  /** Seconds since the Unix epoch. */
  expires: string
  signature: string
}

/** HMAC-SHA-256 over purpose, attachment and expiry; addresses need no other credentials. */
export class AddressSigner {
  readonly #secret: string
  readonly #clock: Clock

  constructor(secret: string, clock: Clock) {
    this.#secret = secret
    this.#clock = clock
  }

  sign(purpose: AddressPurpose, id: string, lifeSeconds: number): string {
    const expires = String(Math.ceil(this.#nowSeconds() + lifeSeconds))
    return `expires=${expires}&signature=${this.#signature(purpose, id, expires)}`
  }

  /** The expiry moves every half life, so that browsers can cache the address, which lives for at least that long. */
  signSteadily(purpose: AddressPurpose, id: string, maxLifeSeconds: number): string {
    const step = Math.max(1, Math.floor(maxLifeSeconds / 2))
    const expires = String((Math.floor(this.#nowSeconds() / step) + 2) * step)
    return `expires=${expires}&signature=${this.#signature(purpose, id, expires)}`
  }

  /** @throws HttpError FORBIDDEN for an altered or expired address (docs/interface.md#attachments) */
  verify({ purpose, id, expires, signature }: SignedAddress): void {
    const expected = Buffer.from(this.#signature(purpose, id, expires))
    const given = Buffer.from(signature)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new HttpError('FORBIDDEN', `This ${purpose} address was altered. Ask the service for a new one.`)
    }
    if (Number(expires) < this.#nowSeconds()) {
      throw new HttpError('FORBIDDEN', `This ${purpose} address has expired. Ask the service for a new one.`)
    }
  }

  #signature(purpose: AddressPurpose, id: string, expires: string): string {
    return createHmac('sha256', this.#secret).update(`${purpose}\n${id}\n${expires}`).digest('base64url')
  }

  #nowSeconds(): number {
    return this.#clock() / US_PER_SECOND
  }
}

export const UPLOADS_PATH = '/uploads'
export const DOWNLOADS_PATH = '/downloads'
export const TRACE_VIEWER_PATH = '/trace-viewer/'

export interface Addressing {
  publicUrl: string
  filesUrl: string
  signer: AddressSigner
  config: { uploadLifeSeconds: number; downloadLifeSeconds: number }
}

/** The PUT must start before the address expires. */
export function createUploadUrl({ publicUrl, signer, config }: Addressing, id: string): string {
  return `${publicUrl}${UPLOADS_PATH}/${id}?${signer.sign('upload', id, config.uploadLifeSeconds)}`
}

export function createDownloadUrl(context: Addressing, id: string): string {
  return context.publicUrl + createDownloadPath(context, id)
}

function createDownloadPath({ signer, config }: Addressing, id: string): string {
  return `${DOWNLOADS_PATH}/${id}?${signer.signSteadily('download', id, config.downloadLifeSeconds)}`
}

type Openable = Pick<LinkedAttachmentRow, 'public_id' | 'name' | 'content_type'>

/** Traces open in the viewer, pages by themselves; null for others, and without an origin of files. */
function createOpenUrl(context: Addressing, attachment: Openable): string | null {
  const { filesUrl } = context
  if (filesUrl === '') return null
  const path = createDownloadPath(context, attachment.public_id)
  if (isTrace(attachment))
    return `${filesUrl}${TRACE_VIEWER_PATH}index.html?trace=${encodeURIComponent(path)}`
  return isWebPage(attachment) ? filesUrl + path : null
}

export function mapRunAttachment(context: Addressing, row: LinkedAttachmentRow): RunAttachment {
  return {
    id: row.public_id,
    name: row.name,
    size: row.size_bytes,
    content_type: row.content_type,
    is_report: false,
    download_url: createDownloadUrl(context, row.public_id),
    open_url: createOpenUrl(context, row),
  }
}
