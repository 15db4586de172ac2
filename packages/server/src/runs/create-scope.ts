import { randomUUID } from 'node:crypto'
import type { Transaction } from '../database/database'
import type { KeyGenerator } from '../database/key-generator'
import type { Principal } from '../keys/principal'
import type { Creation } from '../parts/part-store'
import type { Settings } from '../settings/settings'

/** What the steps of run creation share: one transaction, one asker, the organisation's settings. */
export interface CreateScope {
  transaction: Transaction
  principal: Principal
  settings: Settings
  /** Strict: the specification's path, which insists on the revision of a component with several. */
  strict: boolean
  nowUs: number
  nextKey: KeyGenerator
}

/** Key, public id, time and creator of a record that is created on first sight. */
export function createCreation(scope: CreateScope): Creation {
  return {
    id: scope.nextKey(),
    publicId: randomUUID(),
    createdAtUs: scope.nowUs,
    createdByUserId: scope.principal.userId,
  }
}
