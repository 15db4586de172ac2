import {
  formatTimestampUs,
  type ListProceduresQuery,
  type Page,
  type ProcedureListItem,
} from '@runledger/protocol'
import type { Context } from '../context'
import { pageFrom } from '../database/page'
import { mapPerson } from '../users/map-person'
import { listProcedures } from './procedure-store'

type ProcedureRow = Awaited<ReturnType<typeof listProcedures>>[number]

function mapCreator(row: ProcedureRow): ProcedureListItem['created_by_user'] {
  const person = mapPerson(row)
  return person && { ...person, email: person.email ?? '' }
}

/** `GET /v2/procedures`. */
export async function listProcedurePage(
  { database }: Context,
  query: ListProceduresQuery,
): Promise<Page<ProcedureListItem>> {
  const rows = await listProcedures(database.query, query)
  return pageFrom(rows, query.limit, (row) => ({
    id: row.public_id,
    identifier: row.identifier,
    name: row.name,
    created_at: formatTimestampUs(row.created_at_us),
    created_by_user: mapCreator(row),
    linkedRepository: null,
  }))
}
