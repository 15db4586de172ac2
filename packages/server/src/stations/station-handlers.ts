import type { Handlers } from '../http/handler'
import { createStation } from './create-station'
import { deleteStation } from './delete-station'
import { getCurrentStation, getStation } from './get-station'
import { linkStationProcedure, unlinkStationProcedure } from './link-station-procedure'
import { listStationPage } from './list-stations'
import { updateStation } from './update-station'

export const STATION_HANDLERS: Handlers<
  | 'listStations'
  | 'createStation'
  | 'getCurrentStation'
  | 'getStation'
  | 'updateStation'
  | 'deleteStation'
  | 'linkStationProcedure'
  | 'unlinkStationProcedure'
> = {
  listStations: ({ context, query }) => listStationPage(context, query),
  createStation: ({ context, principal, body }) => createStation(context, principal, body),
  getCurrentStation: ({ context, principal }) => getCurrentStation(context, principal),
  getStation: ({ context, params }) => getStation(context, params.id),
  updateStation: ({ context, params, body }) => updateStation(context, params.id, body),
  deleteStation: ({ context, params }) => deleteStation(context, params.id),
  linkStationProcedure: ({ context, params }) => linkStationProcedure(context, params),
  unlinkStationProcedure: ({ context, params }) => unlinkStationProcedure(context, params),
}
