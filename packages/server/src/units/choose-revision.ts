import type { Transaction } from '../database/database'
import { unknownPart, unknownRevision } from '../parts/part-errors'
import {
  findPart,
  findPartOfRevision,
  findRevision,
  findRevisionByKey,
  listRevisions,
  type Part,
} from '../parts/part-store'
import { readSettings } from '../settings/settings-store'

export interface ChosenRevision {
  /** Undefined: the part that the unit is of. */
  partNumber: string | undefined
  /** Undefined: the part's only revision, else the unit's own when it is one of the part's, else the default one. */
  revisionNumber: string | undefined
}

/** The key of the revision that a unit is moved to. Nothing is created: 404 for a part or revision that does not exist. */
export async function chooseRevision(
  transaction: Transaction,
  currentRevisionId: number,
  { partNumber, revisionNumber }: ChosenRevision,
): Promise<number> {
  const part =
    partNumber === undefined
      ? await findPartOfRevision(transaction, currentRevisionId)
      : await findPart(transaction, partNumber)
  if (!part) throw unknownPart(partNumber ?? '')
  if (revisionNumber !== undefined) return findRevisionKey(transaction, part, revisionNumber)
  const [first, second] = await listRevisions(transaction, part.id, 2)
  if (first && !second) return first.id
  const own = await findRevisionByKey(transaction, part.id, currentRevisionId)
  if (own) return own.id
  const settings = await readSettings(transaction)
  return findRevisionKey(transaction, part, settings['default_revision.number'])
}

async function findRevisionKey(transaction: Transaction, part: Part, number: string): Promise<number> {
  const revision = await findRevision(transaction, part.id, number)
  if (!revision) throw unknownRevision(part.number, number)
  return revision.id
}
