import {
  type CreateRevisionRequest,
  foldIdentifier,
  formatTimestampUs,
  type RevisionDetail,
  type UpdateRevisionRequest,
} from '@runledger/protocol'
import { findImage } from '../../record/files/attachments/bytes'
import type { Context } from '../call/context'
import type { Transaction } from '../../storage/database/database'
import type { PartsTable, RevisionsTable } from '../../storage/database/schema/units'
import { createCreation, type Principal } from '../../record/access/keys/principal'
import { readSettings } from '../../record/access/settings/store'
import { mapCreatedBy } from '../../record/access/users/store'
import {
  partNotFound,
  revisionExistsError,
  revisionNotFound,
  stillUsedError,
} from '../../record/catalogue/parts/map'
import {
  countRevisionUses,
  deleteRevisionRow,
  findRevision,
  findRevisionDetail,
  insertRevision,
  listUnitsOfRevision,
  updateRevisionRow,
} from '../../record/catalogue/parts/revision-store'
import { refuseNewRevision } from '../../record/catalogue/parts/resolve-part'
import { findPart, findPartDetail } from '../../record/catalogue/parts/store'

/** @throws HttpError CONFLICT for a known number */
export async function createRevision(
  context: Context,
  principal: Principal,
  { partNumber, number }: CreateRevisionRequest & { partNumber: string },
): Promise<{ id: string }> {
  return context.database.write(async (transaction) => {
    const part = await findPart(transaction, partNumber)
    if (!part) throw partNotFound(partNumber)
    if (await findRevision(transaction, part.id, number)) throw revisionExistsError(part.number, number)
    if (principal.kind === 'station') refuseNewRevision(await readSettings(transaction), part, number)
    const creation = createCreation(context, principal)
    const revision = await insertRevision(transaction.query, creation, { partId: part.id, number })
    return { id: revision.public_id }
  })
}

/** @throws HttpError NOT_FOUND */
export async function getRevision({ database }: Context, path: RevisionPath): Promise<RevisionDetail> {
  const { part_number: partNumber, revision_number: number } = path
  const part = await findPartDetail(database.query, partNumber)
  if (!part) throw partNotFound(partNumber, number)
  const revision = await findRevisionDetail(database.query, part.id, number)
  if (!revision) throw revisionNotFound(part.number, number)
  const units = await listUnitsOfRevision(database.query, revision.id)
  return {
    id: revision.public_id,
    number: revision.number,
    image: null,
    image_id: revision.image_id,
    created_at: formatTimestampUs(revision.created_at_us),
    ...mapCreatedBy(revision),
    part: { id: part.public_id, number: part.number, name: part.name },
    units: units.map(({ public_id: id, serial_number }) => ({ id, serial_number })),
  }
}

/** @throws HttpError CONFLICT for a known number, NOT_FOUND for an image never received */
export async function updateRevision(
  { database, recordChange }: Context,
  path: RevisionPath,
  sent: UpdateRevisionRequest,
): Promise<{ id: string }> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const { part, revision } = await findRevisionOfPart(transaction, path)
    const number = sent.number ?? revision.number
    const holder = await findRevision(transaction, part.id, number)
    if (holder && holder.id !== revision.id) throw revisionExistsError(part.number, number)
    const imageId = sent.image_id === undefined ? revision.image_id : await findImage(query, sent.image_id)
    await updateRevisionRow(query, revision.id, {
      number,
      number_folded: foldIdentifier(number),
      image_id: imageId,
    })
    await recordChange(transaction, {
      ...describeRevision(part, revision),
      before: { number: revision.number, image_id: revision.image_id },
      after: { number, image_id: imageId },
    })
    return { id: revision.public_id }
  })
}

/** @throws HttpError CONFLICT while units or runs refer to it */
export async function deleteRevision(
  { database, recordChange }: Context,
  path: RevisionPath,
): Promise<{ id: string }> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const { part, revision } = await findRevisionOfPart(transaction, path)
    const uses = await countRevisionUses(query, [revision.id])
    if (uses.units + uses.runs > 0)
      throw stillUsedError(`Revision "${revision.number}" of part "${part.number}"`, uses)
    await deleteRevisionRow(query, revision.id)
    await recordChange(transaction, {
      ...describeRevision(part, revision),
      before: { part: part.number, number: revision.number },
    })
    return { id: revision.public_id }
  })
}

function describeRevision(part: PartsTable, { public_id: id, number }: RevisionsTable) {
  return { kind: 'revision', id, name: `${part.number} ${number}` } as const
}

interface RevisionPath {
  part_number: string
  revision_number: string
}

/** @throws HttpError NOT_FOUND that names the part or the revision */
export async function findRevisionOfPart(
  transaction: Transaction,
  { part_number: partNumber, revision_number: number }: RevisionPath,
): Promise<{ part: PartsTable; revision: RevisionsTable }> {
  const part = await findPart(transaction, partNumber)
  if (!part) throw partNotFound(partNumber, number)
  const revision = await findRevision(transaction, part.id, number)
  if (!revision) throw revisionNotFound(part.number, number)
  return { part, revision }
}
