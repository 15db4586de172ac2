import type { Context } from '../context'
import type { Transaction } from '../database/database'
import type { Principal } from '../keys/principal'

/** What a check of access knows beside what the request names. */
export interface SubjectScope {
  context: Context
  transaction: Transaction
  principal: Principal
  isMalformedRefused: boolean
}

/** The fields that name a subject, as the request has them. */
export type NamedSubject = Readonly<Record<string, string | undefined>>
