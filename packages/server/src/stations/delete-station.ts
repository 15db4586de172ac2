import type { Context } from '../context'
import { revokeStationKeys } from '../keys/key-store'
import { findKnownStation } from './find-known-station'
import { unlinkAllProcedures } from './station-procedure-store'
import { updateStation } from './station-store'

/**
 * `DELETE /v2/stations/{id}`: its keys are revoked and its links removed. Its record stays for the runs that it
 * created. @throws HttpError NOT_FOUND
 */
export async function deleteStation({ database, clock }: Context, publicId: string): Promise<{ id: string }> {
  return database.write(async ({ query }) => {
    const station = await findKnownStation(query, publicId)
    const nowUs = clock()
    await updateStation(query, station.id, { deleted_at_us: nowUs })
    await revokeStationKeys(query, station.id, nowUs)
    await unlinkAllProcedures(query, station.id)
    return { id: station.public_id }
  })
}
