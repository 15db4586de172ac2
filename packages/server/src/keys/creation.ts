import { randomUUID } from 'node:crypto'
import type { Context } from '../context'
import type { KeyGenerator } from '../database/key-generator'
import { type CreatorColumns, creatorColumns, type Principal } from './principal'

/** What every record carries that somebody created. */
export interface Creation extends CreatorColumns {
  id: number
  public_id: string
  created_at_us: number
}

/** Key, public id, time and creator of a record that is created in this moment. */
export function createCreation({ nextKey, clock }: Pick<Context, 'nextKey' | 'clock'>, principal: Principal) {
  return createCreationAt({ nextKey, nowUs: clock(), principal })
}

/** The same for one of several records that are created at the same time. */
export function createCreationAt(scope: {
  nextKey: KeyGenerator
  nowUs: number
  principal: Principal
}): Creation {
  return {
    id: scope.nextKey(),
    public_id: randomUUID(),
    created_at_us: scope.nowUs,
    ...creatorColumns(scope.principal),
  }
}
