import { type CreateStationRequest, foldIdentifier } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import type { Context } from '../context'
import type { UserPrincipal } from '../keys/principal'
import { findKnownProcedure } from '../procedures/find-known-procedure'
import { linkProcedure } from './station-procedure-store'
import { insertStation } from './station-store'

/** `POST /v2/stations`; its key is issued apart (`POST /v2/keys`). @throws HttpError NOT_FOUND for the procedure */
export async function createStation(
  { database, nextKey, clock }: Context,
  { userId }: UserPrincipal,
  { name, procedure_id: procedureId }: CreateStationRequest,
): Promise<{ id: string }> {
  return database.write(async ({ query }) => {
    const procedure = procedureId === undefined ? undefined : await findKnownProcedure(query, procedureId)
    const station = {
      id: nextKey(),
      public_id: randomUUID(),
      name,
      name_folded: foldIdentifier(name),
      image_id: null,
      created_at_us: clock(),
      created_by_user_id: userId,
      deleted_at_us: null,
    }
    await insertStation(query, station)
    if (procedure) await linkProcedure(query, station.id, procedure.id)
    return { id: station.public_id }
  })
}
