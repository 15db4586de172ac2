import {
  type CreateUnitRequest,
  foldIdentifier,
  type ListUnitsQuery,
  type Page,
  type UnitDetail,
  type UnitListItem,
} from '@runledger/protocol'
import { describeAttachment, initializeAttachment } from '../attachments/handlers'
import {
  deleteAttachmentsOfUnit,
  dropReferences,
  listLinkedAttachments,
} from '../../record/files/attachments/store'
import { removeBlobs } from '../../record/files/blobs/store'
import type { Context } from '../call/context'
import type { Transaction } from '../../storage/database/database'
import { groupBy, MOST_SHOWN, MOST_SHOWN_IN_LISTS } from '../../storage/database/rows'
import type { UnitsTable } from '../../storage/database/schema/units'
import { pageFrom } from '../../storage/database/sorted-page'
import { notFound } from '../../base/errors'
import type { Call, Handlers } from '../call/handler'
import { refuseRecordOfOthers } from '../call/subjects'
import { createCreation, type Principal } from '../../record/access/keys/principal'
import { limitByMetadata } from '../../record/catalogue/metadata/limits'
import { mapMetadata } from '../../record/catalogue/metadata/store'
import { findRevisionOfPart } from '../parts/revisions'
import { readSettings } from '../../record/access/settings/store'
import { describeUnit, readUnitFacts } from '../../record/catalogue/units/facts'
import { listUnits } from '../../record/catalogue/units/list-store'
import {
  mapLastRun,
  mapParentReference,
  mapUnitDetail,
  mapUnitHead,
  unitExistsError,
  unitNotFound,
} from '../../record/catalogue/units/map'
import {
  changeUnitMetadata,
  findRelatedUnit,
  findRunOfCreation,
  findUnit,
  findUnitHead,
  insertUnit,
  listChildren,
  listUnitMetadata,
} from '../../record/catalogue/units/store'
import { addUnitChild, removeUnitChild, updateUnit, updateV1Unit } from './update-unit'
import { markDeleted } from '../../record/results/deletion-store'
import { refuseNew } from '../../record/catalogue/refuse-new'

export const UNIT_HANDLERS: Handlers<
  | 'listUnits'
  | 'createUnit'
  | 'deleteUnits'
  | 'getUnit'
  | 'updateUnit'
  | 'createUnitAttachment'
  | 'deleteUnitAttachments'
  | 'addUnitChild'
  | 'removeUnitChild'
  | 'updateV1Unit'
  | 'updateV1UnitByNumber'
  | 'deleteV1Unit'
> = {
  listUnits: ({ context, query }) => listUnitPage(context, query),
  createUnit: ({ context, principal, body }) => createUnit(context, principal, body),
  deleteUnits: async ({ context, query }) => {
    const ids = await deleteUnits(context, query.serial_numbers)
    return { ids, id: ids }
  },
  getUnit: ({ context, params }) => getUnit(context, params.serial_number),
  updateUnit: (call) => updateUnit(call),
  createUnitAttachment: ({ context, principal, write, body }) =>
    initializeAttachment(context, principal, {
      name: body.name,
      within: (insert) => write((transaction, unit) => insert(transaction, { link_to_unit_id: unit.id })),
    }),
  deleteUnitAttachments: (call) => deleteUnitAttachments(call),
  addUnitChild: (call) => addUnitChild(call),
  removeUnitChild: (call) => removeUnitChild(call),
  updateV1Unit: (call) => updateV1Unit(call),
  updateV1UnitByNumber: (call) => updateV1Unit(call),
  deleteV1Unit: async ({ context, params }) => {
    const [id = ''] = await deleteUnits(context, [params.serial_number])
    return { message: 'Unit deleted', id }
  },
}

async function listUnitPage(context: Context, list: ListUnitsQuery): Promise<Page<UnitListItem>> {
  const { database } = context
  const rows = await listUnits(database.query, list)
  const limit = list.include_metadata
    ? await limitByMetadata(context, rows, { owner: 'units', limit: list.limit })
    : list.limit
  const shown = rows.slice(0, limit).map(({ id }) => id)
  const children = groupBy(
    await listChildren(database.query, shown, MOST_SHOWN_IN_LISTS),
    (child) => child.parent_unit_id,
  )
  const metadata = groupBy(
    list.include_metadata ? await listUnitMetadata(database.query, shown, MOST_SHOWN_IN_LISTS) : [],
    ({ unit_id }) => unit_id,
  )
  return pageFrom(rows, limit, (row) => ({
    ...mapUnitHead(row),
    children: (children.get(row.id) ?? []).map(({ public_id: id, serial_number }) => ({ id, serial_number })),
    parent: mapParentReference(row),
    last_run: mapLastRun(row),
    metadata: list.include_metadata ? mapMetadata(metadata.get(row.id) ?? []) : null,
  }))
}

/** @throws HttpError NOT_FOUND for the part or revision, CONFLICT for a known serial number */
async function createUnit(
  context: Context,
  principal: Principal,
  sent: CreateUnitRequest,
): Promise<{ id: string }> {
  return context.database.write(async (transaction) => {
    const { revision } = await findRevisionOfPart(transaction, sent)
    if (await findUnit(transaction, sent.serial_number)) throw unitExistsError(sent.serial_number)
    if (principal.kind === 'station')
      refuseNew(await readSettings(transaction), 'unit', `unit "${sent.serial_number}" does not exist`)
    const unit = await insertUnit(transaction.query, createCreation(context, principal), {
      serial_number: sent.serial_number,
      revision_id: revision.id,
      sample: sent.sample ?? null,
    })
    await changeUnitMetadata(transaction, unit.id, sent.metadata ?? {})
    return { id: unit.public_id }
  })
}

/** @throws HttpError NOT_FOUND */
async function getUnit(context: Context, serialNumber: string): Promise<UnitDetail> {
  const { query } = context.database
  const unit = await findUnitHead(query, serialNumber)
  if (!unit) throw unitNotFound(serialNumber)
  // In parallel, so that the database gets them together.
  const [parent, run, attachments, children, metadata] = await Promise.all([
    unit.parent_unit_id === null ? undefined : findRelatedUnit(query, unit.parent_unit_id),
    unit.created_by_run_id === null ? undefined : findRunOfCreation(query, unit.created_by_run_id),
    listLinkedAttachments(query, 'unit', [unit.id]),
    listChildren(query, [unit.id], MOST_SHOWN),
    listUnitMetadata(query, [unit.id], MOST_SHOWN),
  ])
  return mapUnitDetail(context, { unit, parent, run, attachments, children, metadata })
}

/**
 * Deletes all or none, with runs and attachments; sub-units stay. Returns each id once, in the order asked. @throws HttpError
 * NOT_FOUND for an unknown one
 */
async function deleteUnits(context: Context, serialNumbers: readonly string[]): Promise<string[]> {
  const units = await context.database.write(async (transaction) => {
    const found = await findUnits(transaction, serialNumbers)
    const keys = found.map(({ id }) => id)
    for (const unit of found) {
      const before = await readUnitFacts(transaction.query, unit.id)
      await context.recordChange(transaction, { ...describeUnit(unit), before })
    }
    await markDeleted(transaction.query, { kind: 'unit', keys }, context.clock())
    return found
  })
  await context.deletions.settle()
  return units.map(({ public_id: id }) => id)
}

async function findUnits(transaction: Transaction, serialNumbers: readonly string[]): Promise<UnitsTable[]> {
  const asked = new Map(serialNumbers.map((number) => [foldIdentifier(number), number]))
  const units: UnitsTable[] = []
  for (const serialNumber of asked.values()) {
    const unit = await findUnit(transaction, serialNumber)
    if (!unit) throw unitNotFound(serialNumber)
    units.push(unit)
  }
  return units
}

/** Deletes all or none, with their bytes. @throws HttpError NOT_FOUND when one is not the unit's */
async function deleteUnitAttachments({
  context,
  principal,
  write,
  query: sent,
}: Call<'deleteUnitAttachments'>): Promise<{ ids: string[] }> {
  const ids = [...new Set(sent.ids.map((id) => id.trim().toLowerCase()))]
  const orphans = await write(async (transaction, unit) => {
    const { query } = transaction
    refuseRecordOfOthers(principal, unit, `delete attachments of the unit "${unit.serial_number}"`)
    const deleted = await deleteAttachmentsOfUnit(query, unit.id, ids)
    const missing = ids.find((id) => !deleted.some(({ public_id: deletedId }) => deletedId === id))
    if (missing !== undefined) {
      throw notFound(`attachment of the unit "${unit.serial_number}" with the id "${missing}"`)
    }
    for (const attachment of deleted) {
      const before = { unit: unit.serial_number }
      await context.recordChange(transaction, { ...describeAttachment(attachment), before })
    }
    return dropReferences(query, deleted)
  })
  await removeBlobs(context, orphans)
  return { ids }
}
