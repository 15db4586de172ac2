import type { IssuedKey } from '@runledger/protocol'

/** Columns that name the procedure of a project key, after a left join of `procedures`. */
export const KEY_PROCEDURE_COLUMNS = [
  'procedures.public_id as procedure_public_id',
  'procedures.name as procedure_name',
  'procedures.identifier as procedure_identifier',
] as const

export interface KeyProcedureColumns {
  procedure_public_id: string | null
  procedure_name: string | null
  procedure_identifier: string | null
}

export function mapKeyProcedure({
  procedure_public_id: id,
  procedure_name: name,
  procedure_identifier: identifier,
}: KeyProcedureColumns): IssuedKey['procedure'] {
  return id === null || name === null || identifier === null ? null : { id, name, identifier }
}
