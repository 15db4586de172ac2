import { IdResponseSchema } from '../resources/common'
import {
  CreateStationRequestSchema,
  ListStationsQuerySchema,
  StationDetailSchema,
  StationPageSchema,
  UpdateStationResponseSchema,
  UpdateStationRequestSchema,
} from '../resources/station'
import type { Operation } from './operation'

const tag = 'Stations'

export const STATION_OPERATIONS = {
  listStations: {
    tag,
    summary: 'List stations, newest first',
    access: 'user-key',
    errors: [],
    query: ListStationsQuerySchema,
    response: StationPageSchema,
  },
  createStation: {
    tag,
    summary: 'Create a station, linked to a procedure if one is named',
    access: 'user-key',
    errors: ['NOT_FOUND'],
    body: CreateStationRequestSchema,
    response: IdResponseSchema,
  },
  getCurrentStation: {
    tag,
    summary: 'Get the station whose key is used',
    access: 'station-key',
    errors: [],
    response: StationDetailSchema,
  },
  getStation: {
    tag,
    summary: 'Get a station with the procedures linked to it',
    access: 'user-key',
    errors: ['NOT_FOUND'],
    response: StationDetailSchema,
  },
  updateStation: {
    tag,
    summary: 'Change the name or the image of a station',
    access: 'user-key',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: UpdateStationRequestSchema,
    response: UpdateStationResponseSchema,
  },
  deleteStation: {
    tag,
    summary: 'Delete a station: its keys are revoked, its links removed, its runs kept',
    access: 'user-key',
    errors: ['NOT_FOUND'],
    response: IdResponseSchema,
  },
  linkStationProcedure: {
    tag,
    summary: 'Link a procedure to a station, which may then create runs of it',
    access: 'user-key',
    errors: ['NOT_FOUND'],
    response: IdResponseSchema,
  },
  unlinkStationProcedure: {
    tag,
    summary: 'Unlink a procedure from a station',
    access: 'user-key',
    errors: ['NOT_FOUND'],
    response: IdResponseSchema,
  },
} as const satisfies Record<string, Operation>
