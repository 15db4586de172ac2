import type { StorageContext } from '../../../storage/context'
import type { AddressSigner } from './addresses'
import type { UnlinkedBytes } from './unlinked'

/** What the functions of attachments work with. */
export interface FileContext extends StorageContext {
  signer: AddressSigner
  unlinked: UnlinkedBytes
  /** What every address that the service hands out starts with; no slash at its end. */
  publicUrl: string
  /** The origin where browsers open attachments; empty without one. */
  filesUrl: string
}
