import type { StorageContext } from '../../../storage/context'
import type { AddressSigner } from './addresses'
import type { UnlinkedBytes } from './unlinked'

export interface FileContext extends StorageContext {
  signer: AddressSigner
  unlinked: UnlinkedBytes
  /** What every address begins with; no slash at its end. */
  publicUrl: string
  /** Where browsers open attachments; empty without such an origin. */
  filesUrl: string
}
