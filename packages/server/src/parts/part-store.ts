import { foldIdentifier } from '@runledger/protocol'
import type { Transaction } from '../database/database'
import type { Creation } from '../keys/creation'

export interface Part {
  id: number
  number: string
}

export interface Revision {
  id: number
  part_id: number
  number: string
}

export async function findPart(transaction: Transaction, number: string): Promise<Part | undefined> {
  const sql = 'SELECT id, number FROM parts WHERE number_folded = ?'
  const [part] = await transaction.all<Part>(sql, [foldIdentifier(number)])
  return part
}

export async function findPartOfRevision(
  transaction: Transaction,
  revisionId: number,
): Promise<Part | undefined> {
  const sql =
    'SELECT parts.id, parts.number FROM parts JOIN revisions ON revisions.part_id = parts.id WHERE revisions.id = ?'
  const [part] = await transaction.all<Part>(sql, [revisionId])
  return part
}

export async function insertPart(
  transaction: Transaction,
  creation: Creation,
  part: { number: string; name: string },
): Promise<Part> {
  await transaction.run(
    `INSERT INTO parts (id, public_id, number, number_folded, name, created_at_us, created_by_user_id, created_by_station_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      creation.id,
      creation.public_id,
      part.number,
      foldIdentifier(part.number),
      part.name,
      creation.created_at_us,
      creation.created_by_user_id,
      creation.created_by_station_id,
    ],
  )
  return { id: creation.id, number: part.number }
}

/** A revision of a part by its number, without regard to case. */
export async function findRevision(
  transaction: Transaction,
  partId: number,
  number: string,
): Promise<Revision | undefined> {
  const sql = 'SELECT id, part_id, number FROM revisions WHERE part_id = ? AND number_folded = ?'
  const [revision] = await transaction.all<Revision>(sql, [partId, foldIdentifier(number)])
  return revision
}

/** The revision with this key, when it belongs to the part. */
export async function findRevisionByKey(
  transaction: Transaction,
  partId: number,
  id: number,
): Promise<Revision | undefined> {
  const sql = 'SELECT id, part_id, number FROM revisions WHERE id = ? AND part_id = ?'
  const [revision] = await transaction.all<Revision>(sql, [id, partId])
  return revision
}

/** Revisions of a part, oldest first, at most `limit`. */
export async function listRevisions(
  transaction: Transaction,
  partId: number,
  limit: number,
): Promise<Revision[]> {
  const sql = 'SELECT id, part_id, number FROM revisions WHERE part_id = ? ORDER BY id LIMIT ?'
  return transaction.all<Revision>(sql, [partId, limit])
}

export async function insertRevision(
  transaction: Transaction,
  creation: Creation,
  revision: { partId: number; number: string },
): Promise<Revision> {
  await transaction.run(
    `INSERT INTO revisions (id, public_id, part_id, number, number_folded, created_at_us, created_by_user_id, created_by_station_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      creation.id,
      creation.public_id,
      revision.partId,
      revision.number,
      foldIdentifier(revision.number),
      creation.created_at_us,
      creation.created_by_user_id,
      creation.created_by_station_id,
    ],
  )
  return { id: creation.id, part_id: revision.partId, number: revision.number }
}
