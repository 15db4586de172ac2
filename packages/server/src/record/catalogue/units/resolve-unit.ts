import { BatchNumberSchema, foldIdentifier } from '@runledger/protocol'
import type { Transaction } from '../../../storage/database/database'
import type { UnitsTable } from '../../../storage/database/schema/units'
import { failedValidation, HttpError } from '../../../base/errors'
import { createCreationAt } from '../../access/keys/principal'
import { parseSerialNumber } from './parse-serial-number'
import { resolvePart, resolveRevision } from '../parts/resolve-part'
import { findPart } from '../parts/store'
import { findUnit, insertUnit, listHolderKeys, updateUnitRow } from './store'
import type { CreateScope, Sent, UnitRequest } from '../create-scope'
import { findOrCreateBatch } from '../batches/resolve-batch'
import { refuseNew } from '../refuse-new'

/**
 * A new serial number makes a unit; a known one takes the part, revision and batch that are sent, while each run keeps its own
 * (docs/interface.md#units-and-parts). What a new unit lacks is read from its serial number, if the organisation has a pattern.
 */
export async function resolveUnit(scope: CreateScope, sent: UnitRequest): Promise<UnitsTable> {
  const [unit, sentPart] = await Promise.all([
    findUnit(scope.transaction, sent.serialNumber),
    sent.partNumber === undefined ? undefined : findPart(scope.transaction, sent.partNumber),
  ])
  const request = unit ? sent : { ...sent, ...parseMissing(scope, sent) }
  const batch = await findOrCreateBatch(scope, request.batchNumber)
  const part = sentPart ?? (await resolvePart(scope, request, unit))
  const revision = await resolveRevision(scope, part, { request, unit })
  const place = { revision_id: revision.id, batch_id: batch?.id ?? unit?.batch_id ?? null }
  if (!unit) return createUnit(scope, request.serialNumber, place)
  if (unit.revision_id === place.revision_id && unit.batch_id === place.batch_id) return unit
  await updateUnitRow(scope.transaction.query, unit.id, place)
  return { ...unit, ...place }
}

function parseMissing({ settings }: CreateScope, sent: UnitRequest): Partial<UnitRequest> {
  const pattern = settings['serial_number.pattern']
  if (pattern === null) return {}
  const parsed = parseSerialNumber(pattern, sent.serialNumber)
  const revision = isOtherPart(sent.partNumber, parsed.part_number) ? undefined : parsed.revision_number
  return {
    partNumber: sent.partNumber ?? parsed.part_number,
    revision: sent.revision ?? revision,
    batchNumber: sent.batchNumber ?? checkBatchNumber(parsed.batch_number),
  }
}

function checkBatchNumber(parsed: string | undefined): string | undefined {
  if (parsed === undefined || BatchNumberSchema.safeParse(parsed).success) return parsed
  const rule = `a batch number is made of letters from A to Z, digits, "_" and "-"`
  const path = ['serial_number']
  throw failedValidation([{ path, message: `has the batch number "${parsed}": ${rule}; send batch_number` }])
}

// A parsed revision belongs to the parsed part.
function isOtherPart(sent: string | undefined, parsed: string | undefined): boolean {
  if (sent === undefined || parsed === undefined) return false
  return foldIdentifier(sent) !== foldIdentifier(parsed)
}

async function createUnit(
  scope: CreateScope,
  serialNumber: string,
  place: Pick<UnitsTable, 'revision_id' | 'batch_id'>,
): Promise<UnitsTable> {
  refuseNew(scope.settings, 'unit', `unit "${serialNumber}" does not exist`)
  return insertUnit(scope.transaction.query, createCreationAt(scope), {
    serial_number: serialNumber,
    ...place,
    created_by_run_id: scope.runKey,
  })
}

interface SubUnitScope {
  transaction: Transaction
  /** Called before a move. A run may move any sub-unit: it records what was built. */
  checkMoved?: (subUnit: UnitsTable) => Promise<void>
}

/**
 * Returns each sub-unit once, in the order sent. @throws HttpError BAD_REQUEST for an unknown one, or one that holds the unit
 * (docs/interface.md#sub-units)
 */
export async function resolveSubUnits(
  scope: SubUnitScope,
  unit: Pick<UnitsTable, 'id' | 'serial_number' | 'parent_unit_id'>,
  sent: readonly Sent[],
): Promise<UnitsTable[]> {
  if (sent.length === 0) return []
  const holders = await findHolders(scope.transaction, unit)
  const subUnits = new Map<number, UnitsTable>()
  const seen = new Set<string>()
  for (const { value: serialNumber, path } of sent) {
    const folded = foldIdentifier(serialNumber)
    if (seen.has(folded)) continue
    seen.add(folded)
    const subUnit = await findUnit(scope.transaction, serialNumber)
    if (!subUnit)
      throw refuse(
        path,
        `must be of a unit that exists; received "${serialNumber}". Create it with a run first`,
      )
    if (holders.has(subUnit.id)) {
      throw refuse(
        path,
        `must be of another unit than "${unit.serial_number}" and those that hold it; received "${serialNumber}"`,
      )
    }
    if (subUnit.parent_unit_id !== unit.id) {
      await scope.checkMoved?.(subUnit)
      await updateUnitRow(scope.transaction.query, subUnit.id, { parent_unit_id: unit.id })
    }
    subUnits.set(subUnit.id, subUnit)
  }
  return [...subUnits.values()]
}

function refuse(path: Sent['path'], message: string): HttpError {
  return new HttpError('BAD_REQUEST', `Sub-unit refused: its serial number ${message}.`, {
    issues: [{ path, message }],
  })
}

/** Keys of the unit and of all units that it is in: none can be put into it. */
export async function findHolders(
  transaction: Transaction,
  unit: { id: number; parent_unit_id: number | null },
): Promise<Set<number>> {
  if (unit.parent_unit_id === null) return new Set([unit.id])
  return new Set(await listHolderKeys(transaction, unit.id))
}
