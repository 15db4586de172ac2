import type { Context } from '../context'
import type { Query } from '../database/database'
import { findKnownProcedure } from '../procedures/find-known-procedure'
import { findKnownStation } from './find-known-station'
import { linkProcedure, unlinkProcedure } from './station-procedure-store'

/** A station by its id, and a procedure by its UUID or identifier. */
export interface LinkEnds {
  id: string
  procedure_id: string
}

/** `PUT /v2/stations/{id}/procedures/{procedure_id}`; the same again changes nothing. @throws HttpError NOT_FOUND */
export async function linkStationProcedure({ database }: Context, ends: LinkEnds): Promise<{ id: string }> {
  return database.write(({ query }) => changeLink(query, ends, linkProcedure))
}

/** `DELETE /v2/stations/{id}/procedures/{procedure_id}`; the same again changes nothing. @throws HttpError NOT_FOUND */
export async function unlinkStationProcedure({ database }: Context, ends: LinkEnds): Promise<{ id: string }> {
  return database.write(({ query }) => changeLink(query, ends, unlinkProcedure))
}

async function changeLink(
  query: Query,
  { id, procedure_id: procedureId }: LinkEnds,
  change: typeof linkProcedure,
): Promise<{ id: string }> {
  const station = await findKnownStation(query, id)
  const procedure = await findKnownProcedure(query, procedureId)
  await change(query, station.id, procedure.id)
  return { id: station.public_id }
}
