import type { UnitsTable } from '../database/schema/units'
import { HttpError } from '../errors'
import type { NamedSubject, SubjectScope } from '../http/subject-scope'
import { unknownUnit } from './map'
import { findUnit, hasRunOfStation } from './store'

/**
 * The unit that a request names: a user's is any, a station's one that a run of its own is about (contract decisions, "What
 * clients in the field rely on"). @throws HttpError NOT_FOUND, FORBIDDEN
 */
export async function findOwnUnit(
  { transaction, principal, isOwnNeeded }: Pick<SubjectScope, 'transaction' | 'principal' | 'isOwnNeeded'>,
  { serial_number: serialNumber = '' }: NamedSubject,
): Promise<UnitsTable> {
  const unit = await findUnit(transaction, serialNumber)
  if (!unit) throw unknownUnit(serialNumber)
  if (principal.kind === 'user' || !isOwnNeeded) return unit
  if (await hasRunOfStation(transaction.query, unit.id, principal.stationId)) return unit
  throw new HttpError(
    'FORBIDDEN',
    `This station is not authorized to do this to the unit "${unit.serial_number}": no run of its own is about it. Use a user key.`,
  )
}
