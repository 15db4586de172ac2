import type { Query } from '../database/database'
import { unknownPart, unknownRevision } from './part-errors'
import { findPartRecord, type PartRecord } from './part-record-store'
import { findRevisionRecord, type RevisionRecord } from './revision-record-store'

/** The numbers of a part and of one of its revisions, as in an address. */
export interface RevisionPath {
  part_number: string
  revision_number: string
}

/** A part and its revision; 404 that names the one that there is not. */
export async function findRevisionOfPart(
  query: Query,
  { part_number: partNumber, revision_number: number }: RevisionPath,
): Promise<{ part: PartRecord; revision: RevisionRecord }> {
  const part = await findPartRecord(query, partNumber)
  if (!part) throw unknownPart(partNumber)
  const revision = await findRevisionRecord(query, part.id, number)
  if (!revision) throw unknownRevision(part.number, number)
  return { part, revision }
}
