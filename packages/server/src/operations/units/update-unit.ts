import { foldIdentifier, type UpdateUnitRequest } from '@runledger/protocol'
import { findImage } from '../../record/files/attachments/bytes'
import { linkEach } from '../attachments/handlers'
import { findAttachment } from '../../record/files/attachments/store'
import type { Context } from '../call/context'
import type { Query, Transaction } from '../../storage/database/database'
import type { PartsTable, UnitsTable } from '../../storage/database/schema/units'
import { HttpError } from '../../base/errors'
import type { Call } from '../call/handler'
import { refuseForeignUnit, refuseForeignUpload, refuseRecordOfOthers } from '../call/subjects'
import type { Facts } from '../../record/access/audit/record-change'
import type { Principal } from '../../record/access/keys/principal'
import { partNotFound, revisionNotFound } from '../../record/catalogue/parts/map'
import {
  findRevision,
  findRevisionByKey,
  listFirstRevisions,
} from '../../record/catalogue/parts/revision-store'
import { findPart, findPartOfRevision } from '../../record/catalogue/parts/store'
import { readSettings } from '../../record/access/settings/store'
import { unitExistsError, unitNotFound } from '../../record/catalogue/units/map'
import { findHolders, resolveSubUnits } from '../../record/catalogue/units/resolve-unit'
import {
  changeUnitMetadata,
  findUnit,
  findUnitByKey,
  removeOtherChildren,
  type UnitChange,
  updateUnitRow,
} from '../../record/catalogue/units/store'
import { describeUnit, readUnitFacts } from '../../record/catalogue/units/facts'
import { changeLine } from '../../record/results/line/line-store'
import { findOrCreateBatch } from '../../record/catalogue/batches/resolve-batch'

/**
 * All or nothing; a new batch number makes a batch. @throws HttpError NOT_FOUND for a part, revision or attachment, CONFLICT for
 * a known serial number or an attachment of something else
 */
export async function updateUnit({
  context,
  principal,
  write,
  body: sent,
}: Call<'updateUnit'>): Promise<{ id: string }> {
  return write(async (transaction, unit) => {
    const { query } = transaction
    const loss = describeLoss(unit, sent)
    if (loss !== undefined) refuseRecordOfOthers(principal, unit, `${loss} the unit "${unit.serial_number}"`)
    const metadata = Object.keys(sent.metadata ?? {})
    const before = await readUnitFacts(query, unit.id, metadata)
    await updateUnitRow(query, unit.id, {
      ...(await renameUnit(transaction, unit, sent.new_serial_number)),
      ...(await moveToRevision(transaction, unit, sent)),
      ...(await moveToBatch({ ...context, transaction, principal }, sent.batch_number)),
      ...(await replaceImage({ query, principal }, sent.image_id)),
    })
    if (sent.sample !== undefined) await markSample(query, unit, sent.sample)
    await changeUnitMetadata(transaction, unit.id, sent.metadata ?? {})
    await linkEach({ query, principal }, { unit_id: unit.id }, sent.attachments ?? [])
    const after = await readUnitFacts(query, unit.id, metadata)
    await context.recordChange(transaction, { ...describeUnit(unit), before, after })
    return { id: unit.public_id }
  })
}

/** Samples count apart from other units of the line. */
async function markSample(query: Query, unit: UnitsTable, sample: UnitsTable['sample']): Promise<void> {
  if (sample === unit.sample) return
  const runs = await query.selectFrom('runs').select('id').where('unit_id', '=', unit.id).execute()
  await changeLine(
    query,
    runs.map(({ id }) => id),
    () => updateUnitRow(query, unit.id, { sample }),
  )
}

function describeLoss(unit: UnitsTable, sent: UpdateUnitRequest): string | undefined {
  if (sent.new_serial_number !== undefined) return 'rename'
  if (Object.values(sent.metadata ?? {}).includes(null)) return 'remove metadata of'
  if (sent.image_id !== undefined && unit.image_id !== null) return 'replace or remove the image of'
  return undefined
}

async function renameUnit(
  transaction: Transaction,
  unit: UnitsTable,
  serialNumber?: string,
): Promise<UnitChange> {
  if (serialNumber === undefined) return {}
  const holder = await findUnit(transaction, serialNumber)
  if (holder && holder.id !== unit.id) throw unitExistsError(serialNumber)
  return { serial_number: serialNumber, serial_number_folded: foldIdentifier(serialNumber) }
}

async function replaceImage(
  { query, principal }: { query: Query; principal: Principal },
  sent?: string,
): Promise<UnitChange> {
  if (sent === undefined) return {}
  const imageId = await findImage(query, sent)
  const image = imageId === null ? undefined : await findAttachment(query, imageId)
  if (image) refuseForeignUpload(principal, image)
  return { image_id: imageId }
}

async function moveToRevision(
  transaction: Transaction,
  unit: UnitsTable,
  { part_number: partNumber, revision_number: revisionNumber }: UpdateUnitRequest,
): Promise<UnitChange> {
  if (partNumber === undefined && revisionNumber === undefined) return {}
  return { revision_id: await chooseRevision(transaction, unit.revision_id, { partNumber, revisionNumber }) }
}

async function moveToBatch(
  scope: Pick<Context, 'nextKey' | 'clock'> & { transaction: Transaction; principal: Principal },
  number?: string,
): Promise<UnitChange> {
  const settings = await readSettings(scope.transaction)
  const batch = await findOrCreateBatch({ ...scope, settings, nowUs: scope.clock() }, number)
  return batch ? { batch_id: batch.id } : {}
}

/**
 * For clients of the v1 era: the unit then holds the sub-units sent and no others; undefined changes nothing. @throws HttpError
 * BAD_REQUEST for an unknown sub-unit or a circle, FORBIDDEN for one that a station may not move
 */
export async function updateV1Unit({
  context,
  principal,
  write,
  body: { sub_units: subUnits },
}: Pick<Call<'updateV1Unit'>, 'context' | 'principal' | 'write' | 'body'>): Promise<{
  message: string
  id: string
}> {
  return write(async (transaction, unit) => {
    if (subUnits) {
      const sent = subUnits.map(({ serial_number: value }, index) => ({
        value,
        path: ['sub_units', index, 'serial_number'],
      }))
      const checkMoved = (child: UnitsTable) => refuseForeignMove({ transaction, principal }, child)
      const before = await listSubUnits(transaction.query, unit.id)
      const held = await resolveSubUnits({ transaction, checkMoved }, unit, sent)
      await removeOtherChildren(
        transaction.query,
        unit.id,
        held.map(({ id }) => id),
      )
      const after = await listSubUnits(transaction.query, unit.id)
      await context.recordChange(transaction, { ...describeUnit(unit), before, after })
    }
    return { message: 'Unit updated', id: unit.public_id }
  })
}

async function listSubUnits(query: Query, unitId: number): Promise<Facts> {
  const children = query.selectFrom('live_units').select('serial_number').where('parent_unit_id', '=', unitId)
  const rows = await children.orderBy('serial_number_folded').execute()
  return { sub_units: rows.map((row) => row.serial_number) }
}

/**
 * Takes the child out of its former parent. Returns its id. @throws HttpError BAD_REQUEST for a circle, FORBIDDEN for a unit that
 * a station may not move
 */
export async function addUnitChild({
  context,
  principal,
  write,
  body,
}: Call<'addUnitChild'>): Promise<{ id: string }> {
  return write(async (transaction, unit) => {
    const child = await findChild(transaction, body.child_serial_number)
    if ((await findHolders(transaction, unit)).has(child.id)) {
      throw refuse(
        `must be of another unit than "${unit.serial_number}" and those that hold it; received "${child.serial_number}"`,
      )
    }
    if (child.parent_unit_id !== unit.id) {
      await refuseForeignMove({ transaction, principal }, child)
      await moveUnit({ ...context, transaction }, child, unit.id)
    }
    return { id: child.public_id }
  })
}

/** A move changes the unit and its former parent. @throws HttpError FORBIDDEN */
async function refuseForeignMove(
  scope: { transaction: Transaction; principal: Principal },
  child: UnitsTable,
): Promise<void> {
  await refuseForeignUnit(scope, child)
  const { parent_unit_id: holderId } = child
  const holder = holderId === null ? undefined : await findUnitByKey(scope.transaction, holderId)
  if (holder) await refuseForeignUnit(scope, holder)
}

async function moveUnit(
  { recordChange, transaction }: Pick<Context, 'recordChange'> & { transaction: Transaction },
  unit: UnitsTable,
  parentId: number | null,
): Promise<void> {
  const { query } = transaction
  const before = await readUnitFacts(query, unit.id)
  await updateUnitRow(query, unit.id, { parent_unit_id: parentId })
  const after = await readUnitFacts(query, unit.id)
  await recordChange(transaction, { ...describeUnit(unit), before, after })
}

/** Returns the child's id. @throws HttpError BAD_REQUEST when the unit does not hold it */
export async function removeUnitChild({
  context,
  write,
  query: { child_serial_number: childNumber },
}: Call<'removeUnitChild'>): Promise<{ id: string }> {
  return write(async (transaction, unit) => {
    const child = await findChild(transaction, childNumber)
    if (child.parent_unit_id !== unit.id)
      throw refuse(`is not a child of "${unit.serial_number}"; received "${child.serial_number}"`)
    await moveUnit({ ...context, transaction }, child, null)
    return { id: child.public_id }
  })
}

async function findChild(transaction: Transaction, serialNumber: string): Promise<UnitsTable> {
  const child = await findUnit(transaction, serialNumber)
  if (!child) throw unitNotFound(serialNumber)
  return child
}

function refuse(message: string): HttpError {
  return new HttpError('BAD_REQUEST', `Child unit refused: its serial number ${message}.`, {
    issues: [{ path: ['child_serial_number'], message }],
  })
}

interface ChosenRevision {
  /** The unit's part by default. */
  partNumber: string | undefined
  /** By default the part's only revision, else the unit's own if it is the part's, else the default one. */
  revisionNumber: string | undefined
}

/** Creates nothing. @throws HttpError NOT_FOUND */
async function chooseRevision(
  transaction: Transaction,
  currentRevisionId: number,
  { partNumber, revisionNumber }: ChosenRevision,
): Promise<number> {
  const part =
    partNumber === undefined
      ? await findPartOfRevision(transaction, currentRevisionId)
      : await findPart(transaction, partNumber)
  if (!part) throw partNotFound(partNumber ?? '', revisionNumber)
  if (revisionNumber !== undefined) return findRevisionKey(transaction, part, revisionNumber)
  const [first, second] = await listFirstRevisions(transaction, part.id, 2)
  if (first && !second) return first.id
  const own = await findRevisionByKey(transaction, part.id, currentRevisionId)
  if (own) return own.id
  const settings = await readSettings(transaction)
  return findRevisionKey(transaction, part, settings['default_revision.number'])
}

async function findRevisionKey(transaction: Transaction, part: PartsTable, number: string): Promise<number> {
  const revision = await findRevision(transaction, part.id, number)
  if (!revision) throw revisionNotFound(part.number, number)
  return revision.id
}
