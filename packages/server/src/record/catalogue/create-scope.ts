import type { Transaction } from '../../storage/database/database'
import type { KeyGenerator } from '../../storage/database/keys'
import type { Principal } from '../access/keys/principal'
import type { Settings } from '../access/settings/store'

/** A text, and where it was in the body, for errors. */
export interface Sent {
  value: string
  path: (string | number)[]
}

export interface UnitRequest {
  serialNumber: string
  partNumber: string | undefined
  revision: string | undefined
  batchNumber: string | undefined
  paths: { partNumber: string[]; revision: string[] }
  /** Only v1 accepts a new serial number without a part number, by the default component. */
  mayUseDefaultComponent: boolean
}

export interface CreateScope {
  transaction: Transaction
  principal: Principal
  settings: Settings
  /** The strict path of v1 requires the revision of a part with several (docs/interface.md#units-and-parts). */
  strict: boolean
  nowUs: number
  runKey: number
  nextKey: KeyGenerator
}
