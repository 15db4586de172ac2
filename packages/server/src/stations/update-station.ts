import { foldIdentifier, type UpdateStationRequest } from '@runledger/protocol'
import { findReceivedAttachment } from '../attachments/attachment-store'
import { unknownAttachment } from '../attachments/receive-attachment'
import type { Context } from '../context'
import type { Query } from '../database/database'
import { HttpError } from '../errors'
import { findKnownStation } from './find-known-station'
import { updateStation as updateRow } from './station-store'

/** `PATCH /v2/stations/{id}`. @throws HttpError NOT_FOUND for the station, its new image or a team: there are none */
export async function updateStation(
  { database }: Context,
  publicId: string,
  { name, image_id: imageId, team_id: teamId }: UpdateStationRequest,
): Promise<{ id: string; name: string }> {
  return database.write(async ({ query }) => {
    const station = await findKnownStation(query, publicId)
    if (teamId !== undefined) throw new HttpError('NOT_FOUND', `No team was found with the id "${teamId}".`)
    const change = {
      ...(name === undefined ? {} : { name, name_folded: foldIdentifier(name) }),
      ...(imageId === undefined ? {} : { image_id: await findImage(query, imageId) }),
    }
    if (Object.keys(change).length > 0) await updateRow(query, station.id, change)
    return { id: station.public_id, name: name ?? station.name }
  })
}

async function findImage(query: Query, publicId: string): Promise<string> {
  const image = await findReceivedAttachment(query, publicId)
  if (!image) throw unknownAttachment(publicId)
  return image.public_id
}
