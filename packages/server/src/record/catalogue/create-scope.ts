import type { Transaction } from '../../storage/database/database'
import type { KeyGenerator } from '../../storage/database/keys'
import type { Principal } from '../access/keys/principal'
import type { Settings } from '../access/settings/store'

/** A text that was sent, and where in the body, for errors. */
export interface Sent {
  value: string
  path: (string | number)[]
}

/** The unit under test and what it is an instance of. */
export interface UnitRequest {
  serialNumber: string
  partNumber: string | undefined
  revision: string | undefined
  batchNumber: string | undefined
  /** Where the body has the part number and the revision, for errors. */
  paths: { partNumber: string[]; revision: string[] }
  /** v1 takes a new serial number without a part number, by the default component; v2 does not. */
  mayUseDefaultComponent: boolean
}

/** What the steps of run creation share: one transaction, one asker, the organisation's settings. */
export interface CreateScope {
  transaction: Transaction
  principal: Principal
  settings: Settings
  /** The strict path of v1, which requires the revision of a part with several (docs/interface.md#units-and-parts). */
  strict: boolean
  nowUs: number
  /** Key of the run that is created. */
  runKey: number
  nextKey: KeyGenerator
}
