import type { Transaction } from '../database/database'
import type { KeyGenerator } from '../database/key-generator'
import type { Principal } from '../keys/principal'
import type { Settings } from '../settings/settings'

/** What the steps of run creation share: one transaction, one asker, the organisation's settings. */
export interface CreateScope {
  transaction: Transaction
  principal: Principal
  settings: Settings
  /** Strict: the specification's v1 path, which insists on the revision of a component with several. */
  strict: boolean
  nowUs: number
  /** Key of the run that is created. */
  runKey: number
  nextKey: KeyGenerator
}
