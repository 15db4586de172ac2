import { foldIdentifier } from '@runledger/protocol'
import { findOrCreateBatch } from '../batches/find-or-create-batch'
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
 * sent of a new one is read from its serial number, where the organisation has set a pattern.
 */
export async function resolveUnit(scope: CreateScope, sent: UnitRequest): Promise<Unit> {
  const unit = await findUnit(scope.transaction, sent.serialNumber)
  const request = unit ? sent : { ...sent, ...parseMissing(scope, sent) }
  const batch = await findOrCreateBatch(scope, request.batchNumber)
  const part = await resolvePart(scope, request, unit)
  const revision = await resolveRevision(scope, part, { request, unit })
  const place = { revisionId: revision.id, batchId: batch?.id ?? unit?.batch_id ?? null }
  if (!unit) return createUnit(scope, request.serialNumber, place)
  if (unit.revision_id === place.revisionId && unit.batch_id === place.batchId) return unit
  await updateUnitPlace(scope.transaction, unit.id, place)
  return { ...unit, revision_id: place.revisionId, batch_id: place.batchId }
}

function parseMissing({ settings }: CreateScope, sent: UnitRequest): Partial<UnitRequest> {
  const pattern = settings['serial_number.pattern']
  if (pattern === null) return {}
  const parsed = parseSerialNumber(pattern, sent.serialNumber)
  const revision = isOtherPart(sent.partNumber, parsed.part_number) ? undefined : parsed.revision_number
  return {
    partNumber: sent.partNumber ?? parsed.part_number,
    revision: sent.revision ?? revision,
    batchNumber: sent.batchNumber ?? parsed.batch_number,
  }
}

// A revision that was read from the serial number is one of the part that was.
function isOtherPart(sent: string | undefined, parsed: string | undefined): boolean {
  if (sent === undefined || parsed === undefined) return false
  return foldIdentifier(sent) !== foldIdentifier(parsed)
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
