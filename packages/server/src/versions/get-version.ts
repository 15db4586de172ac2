import { formatTimestampUs, type Version } from '@runledger/protocol'
import type { Context } from '../context'
import { findKnownProcedure } from '../procedures/find-known-procedure'
import { mapStation } from '../stations/map-station'
import { mapPerson } from '../users/map-person'
import { findKnownVersion } from './find-known-version'
import { countRunsOfVersion } from './version-store'

/** `GET /v2/procedures/{procedure_id}/versions/{tag}`. @throws HttpError NOT_FOUND */
export async function getVersion(
  { database }: Context,
  { procedure_id: procedureId, tag }: { procedure_id: string; tag: string },
): Promise<Version> {
  const { query } = database
  const procedure = await findKnownProcedure(query, procedureId)
  const version = await findKnownVersion(query, procedure, tag)
  return {
    id: version.public_id,
    tag: version.tag,
    created_at: formatTimestampUs(version.created_at_us),
    procedure: { id: procedure.public_id, name: procedure.name },
    run_count: await countRunsOfVersion(query, version.id),
    created_by_user: mapPerson(version),
    created_by_station: mapStation(version),
  }
}
