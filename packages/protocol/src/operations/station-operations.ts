import { IdResponseSchema } from '../resources/common'
import {
  CreateStationRequestSchema,
  ListStationsQuerySchema,
  StationDetailSchema,
  StationPageSchema,
  StationResponseSchema,
  UpdateStationRequestSchema,
} from '../resources/station'
import { ID_PARAMS, PROCEDURE_PARAMS } from './path-params'
import type { Operation } from './operation'

const tag = 'Stations'

export const STATION_OPERATIONS = {
  listStations: {
    tag,
    summary: 'List stations, newest first',
    access: 'user-key',
    role: 'viewer',
    errors: [],
    query: ListStationsQuerySchema,
    response: StationPageSchema,
  },
  createStation: {
    tag,
    summary: 'Create a station, linked to a procedure if one is named',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    body: CreateStationRequestSchema,
    response: StationResponseSchema,
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
    access: 'own-station',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    response: StationDetailSchema,
  },
  updateStation: {
    tag,
    summary: 'Change the name or the image of a station',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: ID_PARAMS,
    body: UpdateStationRequestSchema,
    response: StationResponseSchema,
  },
  deleteStation: {
    tag,
    summary: 'Delete a station: its keys are revoked, its links removed, its runs kept',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    response: IdResponseSchema,
  },
  linkStationProcedure: {
    tag,
    summary: 'Link a procedure to a station, which may then create runs of it',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS.extend(PROCEDURE_PARAMS.shape),
    response: IdResponseSchema,
  },
  unlinkStationProcedure: {
    tag,
    summary: 'Unlink a procedure from a station',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS.extend(PROCEDURE_PARAMS.shape),
    response: IdResponseSchema,
  },
} as const satisfies Record<string, Operation>
