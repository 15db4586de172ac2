import { foldIdentifier } from '@runledger/protocol'
import type { Expression, SqlBool } from 'kysely'
import { anyOf, isOneOf } from '../database/conditions'

/** Procedures by id or identifier; `table` is the name that they are joined under. */
export function isOneOfProcedures(
  sent: readonly string[] | undefined,
  table = 'procedures',
): Expression<SqlBool>[] {
  const procedures = sent?.map(foldIdentifier)
  if (!procedures?.length) return []
  return [
    anyOf([
      ...isOneOf(`${table}.public_id`, procedures),
      ...isOneOf(`${table}.identifier_folded`, procedures),
    ]),
  ]
}
