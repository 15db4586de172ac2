import type { UnitsTable } from '../database/schema/units'
import { HttpError } from '../errors'
import type { NamedSubject, SubjectScope } from '../http/subject-scope'
import { unknownUnit } from './map'
import { findUnit, hasRunOfStation } from './store'

/**
 * The unit that a request names: a user's is any, a station's one that it created or that a run of its own is about (contract
 * decisions, "What clients in the field rely on"). @throws HttpError NOT_FOUND, FORBIDDEN
 */
export async function findOwnUnit(
  { transaction, principal }: Pick<SubjectScope, 'transaction' | 'principal'>,
  { serial_number: serialNumber = '' }: NamedSubject,
): Promise<UnitsTable> {
  const unit = await findUnit(transaction, serialNumber)
  if (!unit) throw unknownUnit(serialNumber)
  if (principal.kind === 'user' || unit.created_by_station_id === principal.stationId) return unit
  if (await hasRunOfStation(transaction.query, unit.id, principal.stationId)) return unit
  throw new HttpError(
    'FORBIDDEN',
    `This station is not authorized to change the unit "${unit.serial_number}": it did not create it, and no run of its own is about it. Use a user key.`,
  )
}
