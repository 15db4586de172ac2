import {
  type BatchDetail,
  type BatchListItem,
  formatTimestampUs,
  type ListBatchesQuery,
  type Page,
} from '@runledger/protocol'
import type { Context } from '../call/context'
import { MOST_SHOWN, MOST_SHOWN_IN_LISTS } from '../../storage/database/rows'
import { pageFrom } from '../../storage/database/sorted-page'
import { HttpError, notFound } from '../../base/errors'
import type { Handlers } from '../call/handler'
import { createCreation, type Principal } from '../../record/access/keys/principal'
import { mapPartReference } from '../../record/catalogue/parts/map'
import { readSettings } from '../../record/access/settings/store'
import { mapCreatedBy } from '../../record/access/users/store'
import {
  type BatchUnitRow,
  findBatch,
  findBatchDetail,
  findBatchKey,
  insertBatch,
  listBatches,
  listUnitsOfBatch,
  updateBatchNumber,
} from '../../record/catalogue/batches/store'
import { markDeleted } from '../../record/results/deletion-store'
import { refuseNew } from '../../record/catalogue/refuse-new'

export const BATCH_HANDLERS: Handlers<
  'listBatches' | 'createBatch' | 'getBatch' | 'updateBatch' | 'deleteBatch'
> = {
  listBatches: ({ context, query }) => listBatchPage(context, query),
  createBatch: ({ context, principal, body }) => createBatch(context, principal, body.number),
  getBatch: ({ context, params }) => getBatch(context, params.number),
  updateBatch: ({ context, params, body }) => updateBatch(context, params.number, body.new_number),
  deleteBatch: ({ context, params }) => deleteBatch(context, params.number),
}

async function listBatchPage({ database }: Context, list: ListBatchesQuery): Promise<Page<BatchListItem>> {
  const rows = await listBatches(database.query, list)
  const units = new Map<number, BatchUnitRow[]>()
  for (const { id, unit_count: count } of rows.slice(0, list.limit))
    if (Number(count) > 0) units.set(id, await listUnitsOfBatch(database.query, id, MOST_SHOWN_IN_LISTS))
  return pageFrom(rows, list.limit, (row) => ({
    id: row.public_id,
    number: row.number,
    created_at: formatTimestampUs(row.created_at_us),
    unit_count: Number(row.unit_count ?? 0),
    units: (units.get(row.id) ?? []).map(mapBatchUnit),
    ...mapCreatedBy(row),
  }))
}

/** @throws HttpError CONFLICT for a known number */
async function createBatch(context: Context, principal: Principal, number: string): Promise<{ id: string }> {
  return context.database.write(async (transaction) => {
    if (await findBatchKey(transaction, number)) throw batchExistsError(number)
    if (principal.kind === 'station')
      refuseNew(await readSettings(transaction), 'batch', `batch "${number}" does not exist`)
    const batch = await insertBatch(transaction.query, createCreation(context, principal), number)
    if (!batch) throw batchExistsError(number)
    return { id: batch.public_id }
  })
}

/** @throws HttpError NOT_FOUND */
async function getBatch({ database }: Context, number: string): Promise<BatchDetail> {
  const batch = await findBatchDetail(database.query, number)
  if (!batch) throw batchNotFound(number)
  const units = await listUnitsOfBatch(database.query, batch.id, MOST_SHOWN)
  return {
    id: batch.public_id,
    number: batch.number,
    created_at: formatTimestampUs(batch.created_at_us),
    ...mapCreatedBy(batch),
    units: units.map(mapBatchUnit),
  }
}

function mapBatchUnit(unit: BatchUnitRow): BatchDetail['units'][number] {
  return {
    id: unit.public_id,
    serial_number: unit.serial_number,
    created_at: formatTimestampUs(unit.created_at_us),
    part: mapPartReference(unit),
  }
}

/** @throws HttpError CONFLICT for the number of another batch */
async function updateBatch(
  { database, recordChange }: Context,
  number: string,
  newNumber: string,
): Promise<{ id: string }> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const batch = await findBatch(query, number)
    if (!batch) throw batchNotFound(number)
    const holder = await findBatch(query, newNumber)
    if (holder && holder.id !== batch.id) throw batchExistsError(newNumber)
    await updateBatchNumber(query, batch.id, newNumber)
    await recordChange(transaction, {
      kind: 'batch',
      id: batch.public_id,
      name: batch.number,
      before: { number: batch.number },
      after: { number: newNumber },
    })
    return { id: batch.public_id }
  })
}

/** Its units and runs stay, without a batch. */
async function deleteBatch(context: Context, number: string): Promise<{ id: string[] }> {
  const id = await context.database.write(async (transaction) => {
    const { query } = transaction
    const batch = await findBatch(query, number)
    if (!batch) throw batchNotFound(number)
    await markDeleted(query, { kind: 'batch', keys: [batch.id] }, context.clock())
    await context.recordChange(transaction, {
      kind: 'batch',
      id: batch.public_id,
      name: batch.number,
      before: { number: batch.number },
    })
    return batch.public_id
  })
  await context.deletions.settle()
  return { id: [id] }
}

function batchNotFound(number: string): HttpError {
  return notFound(`batch with the number "${number}"`)
}

function batchExistsError(number: string): HttpError {
  return new HttpError('CONFLICT', `A batch with the number "${number}" already exists. Choose another.`)
}
