import type { UnitListItem } from '@runledger/protocol'
import { HttpError, notFound } from '../../../base/errors'

interface PartReferenceColumns {
  part_public_id: string
  part_number: string
  part_name: string
  revision_public_id: string
  revision_number: string
}

export function mapPartReference(row: PartReferenceColumns): UnitListItem['part'] {
  return {
    id: row.part_public_id,
    number: row.part_number,
    name: row.part_name,
    revision: { id: row.revision_public_id, number: row.revision_number, image: null },
  }
}

/** Clients that named a revision look for the word "revision". */
export function partNotFound(number: string, revisionNumber?: string): HttpError {
  if (revisionNumber === undefined) return notFound(`part with the number "${number}"`)
  return notFound(
    `revision "${revisionNumber}" of the part "${number}"`,
    'There is no part with that number.',
  )
}

export function revisionNotFound(partNumber: string, number: string): HttpError {
  return notFound(`revision "${number}" of the part "${partNumber}"`)
}

export function partExistsError(number: string): HttpError {
  return new HttpError('CONFLICT', `A part with the number "${number}" already exists. Choose another.`)
}

export function revisionExistsError(partNumber: string, number: string): HttpError {
  return new HttpError(
    'CONFLICT',
    `A revision with the number "${number}" already exists in part "${partNumber}". Choose another.`,
  )
}

/** Units and runs would lose what they are of. */
export function stillUsedError(what: string, { units, runs }: { units: number; runs: number }): HttpError {
  return new HttpError(
    'CONFLICT',
    `${what} cannot be deleted: ${count(units, 'unit')} and ${count(runs, 'run')} refer to it. Delete those first; what is deleted already counts until it is gone.`,
  )
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}
