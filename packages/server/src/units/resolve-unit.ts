import { HttpError } from '../errors'
import type { UnitUnderTest } from '@runledger/protocol'
import { resolvePart } from '../parts/resolve-part'
import { resolveRevision } from '../parts/resolve-revision'
import { createCreationAt } from '../keys/creation'
import type { CreateScope } from '../runs/create-scope'
import { findUnit, insertUnit, type Unit, updateUnitRevision } from './unit-store'

/**
 * The unit of a run and the revision it is tested as. A new serial number makes a unit; a known one takes the part
 * and revision that are sent, while each run keeps what it was sent with (contract decisions, v1).
 */
export async function resolveUnit(scope: CreateScope, sent: UnitUnderTest): Promise<Unit> {
  const unit = await findUnit(scope.transaction, sent.serial_number)
  const part = await resolvePart(scope, sent.part_number, unit)
  const revision = await resolveRevision(scope, part, { number: sent.revision, unit })
  if (!unit) return createUnit(scope, sent.serial_number, revision.id)
  if (unit.revision_id === revision.id) return unit
  await updateUnitRevision(scope.transaction, unit.id, revision.id)
  return { ...unit, revision_id: revision.id }
}

async function createUnit(scope: CreateScope, serialNumber: string, revisionId: number): Promise<Unit> {
  if (!scope.settings['auto_create.unit']) {
    throw new HttpError(
      'FORBIDDEN',
      `Unit creation failed: unit "${serialNumber}" does not exist and the organisation does not create units on first sight.`,
    )
  }
  return insertUnit(scope.transaction, createCreationAt(scope), { serialNumber, revisionId })
}
