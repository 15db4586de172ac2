import {
  type CreatePartRequest,
  type DeletePartResponse,
  foldIdentifier,
  formatTimestampUs,
  type ListPartsQuery,
  type Page,
  type PartDetail,
  type PartListItem,
  type UpdatePartRequest,
  type UpdatePartResponse,
} from '@runledger/protocol'
import { findImage } from '../../record/files/attachments/bytes'
import type { Context } from '../call/context'
import { groupBy, MOST_SHOWN, MOST_SHOWN_IN_LISTS } from '../../storage/database/rows'
import { pageFrom } from '../../storage/database/sorted-page'
import type { Handlers } from '../call/handler'
import { createCreation, type Principal } from '../../record/access/keys/principal'
import { readSettings } from '../../record/access/settings/store'
import { mapCreatedBy } from '../../record/access/users/store'
import { partExistsError, stillUsedError, partNotFound } from '../../record/catalogue/parts/map'
import { countRevisionUses, insertRevision, listRevisions } from '../../record/catalogue/parts/revision-store'
import { refuseNewRevision } from '../../record/catalogue/parts/resolve-part'
import {
  deletePartRow,
  findPart,
  findPartDetail,
  insertPart,
  listParts,
  updatePartRow,
} from '../../record/catalogue/parts/store'
import { refuseNew } from '../../record/catalogue/refuse-new'
import { createRevision, deleteRevision, getRevision, updateRevision } from './revisions'

export const PART_HANDLERS: Handlers<
  | 'listParts'
  | 'createPart'
  | 'getPart'
  | 'updatePart'
  | 'deletePart'
  | 'createRevision'
  | 'getRevision'
  | 'updateRevision'
  | 'deleteRevision'
> = {
  listParts: ({ context, query }) => listPartPage(context, query),
  createPart: ({ context, principal, body }) => createPart(context, principal, body),
  getPart: ({ context, params }) => getPart(context, params.number),
  updatePart: ({ context, params, body }) => updatePart(context, params.number, body),
  deletePart: ({ context, params }) => deletePart(context, params.number),
  createRevision: ({ context, principal, params, body }) =>
    createRevision(context, principal, { partNumber: params.part_number, number: body.number }),
  getRevision: ({ context, params }) => getRevision(context, params),
  updateRevision: ({ context, params, body }) => updateRevision(context, params, body),
  deleteRevision: ({ context, params }) => deleteRevision(context, params),
}

async function listPartPage({ database }: Context, list: ListPartsQuery): Promise<Page<PartListItem>> {
  const rows = await listParts(database.query, list)
  const shown = rows.slice(0, list.limit).map(({ id }) => id)
  const revisions = groupBy(
    await listRevisions(database.query, shown, MOST_SHOWN_IN_LISTS),
    ({ part_id }) => part_id,
  )
  return pageFrom(rows, list.limit, (row) => ({
    id: row.public_id,
    number: row.number,
    name: row.name,
    created_at: formatTimestampUs(row.created_at_us),
    revisions: (revisions.get(row.id) ?? []).map(({ public_id: id, number }) => ({
      id,
      number,
      image: null,
    })),
    ...mapCreatedBy(row),
  }))
}

/** The first revision is the one sent, else the organisation's default. @throws HttpError CONFLICT for a known number */
async function createPart(
  context: Context,
  principal: Principal,
  { number, name = number, revision_number: revisionNumber }: CreatePartRequest,
): Promise<{ id: string }> {
  return context.database.write(async (transaction) => {
    const { query } = transaction
    if (await findPart(transaction, number)) throw partExistsError(number)
    const settings = await readSettings(transaction)
    const firstRevision = revisionNumber ?? settings['default_revision.number']
    const isStation = principal.kind === 'station'
    if (isStation) refuseNew(settings, 'part', `part "${number}" does not exist`)
    const part = await insertPart(query, createCreation(context, principal), { number, name })
    if (isStation) refuseNewRevision(settings, part, firstRevision)
    await insertRevision(query, createCreation(context, principal), {
      partId: part.id,
      number: firstRevision,
    })
    return { id: part.public_id }
  })
}

/** @throws HttpError NOT_FOUND */
async function getPart({ database }: Context, number: string): Promise<PartDetail> {
  const part = await findPartDetail(database.query, number)
  if (!part) throw partNotFound(number)
  const revisions = await listRevisions(database.query, [part.id], MOST_SHOWN)
  return {
    id: part.public_id,
    number: part.number,
    name: part.name,
    image_id: part.image_id,
    created_at: formatTimestampUs(part.created_at_us),
    revisions: revisions.map((revision) => ({
      id: revision.public_id,
      number: revision.number,
      image: null,
      created_at: formatTimestampUs(revision.created_at_us),
    })),
    ...mapCreatedBy(part),
  }
}

/** @throws HttpError CONFLICT for the number of another part */
async function updatePart(
  { database, clock, recordChange }: Context,
  number: string,
  sent: UpdatePartRequest,
): Promise<UpdatePartResponse> {
  return database.write(async (transaction) => {
    const part = await findPart(transaction, number)
    if (!part) throw partNotFound(number)
    const changed = { number: sent.new_number ?? part.number, name: sent.name ?? part.name }
    const holder = await findPart(transaction, changed.number)
    if (holder && holder.id !== part.id) throw partExistsError(changed.number)
    const nowUs = clock()
    const imageId =
      sent.image_id === undefined ? part.image_id : await findImage(transaction.query, sent.image_id)
    await updatePartRow(transaction.query, part.id, {
      ...changed,
      number_folded: foldIdentifier(changed.number),
      updated_at_us: nowUs,
      image_id: imageId,
    })
    await recordChange(transaction, {
      kind: 'part',
      id: part.public_id,
      name: part.number,
      before: { number: part.number, name: part.name, image_id: part.image_id },
      after: { ...changed, image_id: imageId },
    })
    return { id: part.public_id, ...changed, updated_at: formatTimestampUs(nowUs) }
  })
}

/** Also deletes its revisions. @throws HttpError CONFLICT while units or runs refer to one */
async function deletePart({ database, recordChange }: Context, number: string): Promise<DeletePartResponse> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const part = await findPart(transaction, number)
    if (!part) throw partNotFound(number)
    const revisions = await listRevisions(query, [part.id], Number.MAX_SAFE_INTEGER)
    const uses = await countRevisionUses(
      query,
      revisions.map(({ id }) => id),
    )
    if (uses.units + uses.runs > 0) throw stillUsedError(`Part "${part.number}"`, uses)
    await deletePartRow(query, part.id)
    await recordChange(transaction, {
      kind: 'part',
      id: part.public_id,
      name: part.number,
      before: { number: part.number, name: part.name, revisions: revisions.map((one) => one.number) },
    })
    return { id: part.public_id, deletedRevisionIds: revisions.map(({ public_id: id }) => id) }
  })
}
