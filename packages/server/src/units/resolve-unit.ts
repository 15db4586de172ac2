import { HttpError } from '../errors'
import { createCreationAt } from '../keys/creation'
import { parseSerialNumber } from '../organisation/parse-serial-number'
import { resolvePart } from '../parts/resolve-part'
import { resolveRevision } from '../parts/resolve-revision'
import type { CreateScope } from '../runs/create-scope'
import type { UnitRequest } from '../runs/run-request'
import { findUnit, insertUnit, type Unit, updateUnitPlace } from './unit-store'

/**
 * The unit of a run and the revision it is tested as. A new serial number makes a unit; a known one takes the part,
 * revision and batch that are sent, while each run keeps what it was sent with (contract decisions, v1). What is not
 * sent is read from the serial number, where the organisation has set a pattern.
 */
export async function resolveUnit(
  scope: CreateScope,
  sent: UnitRequest,
  batchKey: number | undefined,
): Promise<Unit> {
  const request = { ...sent, ...parseMissing(scope, sent) }
  const unit = await findUnit(scope.transaction, request.serialNumber)
  const part = await resolvePart(scope, request, unit)
  const revision = await resolveRevision(scope, part, { request, unit })
  const place = { revisionId: revision.id, batchId: batchKey ?? unit?.batch_id ?? null }
  if (!unit) return createUnit(scope, request.serialNumber, place)
  if (unit.revision_id === place.revisionId && unit.batch_id === place.batchId) return unit
  await updateUnitPlace(scope.transaction, unit.id, place)
  return { ...unit, revision_id: place.revisionId, batch_id: place.batchId }
}

function parseMissing({ settings }: CreateScope, sent: UnitRequest): Partial<UnitRequest> {
  const pattern = settings['serial_number.pattern']
  if (pattern === null || sent.partNumber !== undefined) return {}
  const parsed = parseSerialNumber(pattern, sent.serialNumber)
  if (parsed.part_number === undefined) return {}
  return { partNumber: parsed.part_number, revision: sent.revision ?? parsed.revision_number }
}

async function createUnit(
  scope: CreateScope,
  serialNumber: string,
  place: { revisionId: number; batchId: number | null },
): Promise<Unit> {
  if (!scope.settings['auto_create.unit']) {
    throw new HttpError(
      'FORBIDDEN',
      `Unit creation failed: unit "${serialNumber}" does not exist and the organisation does not create units on first sight.`,
    )
  }
  return insertUnit(scope.transaction, createCreationAt(scope), {
    serialNumber,
    ...place,
    createdByRunId: scope.runKey,
  })
}
