import { IdAnswerSchema } from '../resources/common'
import {
  CreateStationRequestSchema,
  ListStationsQuerySchema,
  StationDetailSchema,
  StationPageSchema,
  UpdateStationAnswerSchema,
  UpdateStationRequestSchema,
} from '../resources/station'
import type { Operation } from './operation'

const tag = 'Stations'

export const STATION_OPERATIONS = {
  listStations: {
    tag,
    summary: 'List stations, newest first',
    access: 'any-key',
    errors: [],
    query: ListStationsQuerySchema,
    answer: StationPageSchema,
  },
  createStation: {
    tag,
    summary: 'Create a station, linked to a procedure if one is named',
    access: 'user-key',
    errors: ['NOT_FOUND'],
    body: CreateStationRequestSchema,
    answer: IdAnswerSchema,
  },
  getCurrentStation: {
    tag,
    summary: 'Get the station whose key is used',
    access: 'station-key',
    errors: [],
    answer: StationDetailSchema,
  },
  getStation: {
    tag,
    summary: 'Get a station with the procedures linked to it',
    access: 'any-key',
    errors: ['NOT_FOUND'],
    answer: StationDetailSchema,
  },
  updateStation: {
    tag,
    summary: 'Change the name or the image of a station',
    access: 'user-key',
    errors: ['NOT_FOUND'],
    body: UpdateStationRequestSchema,
    answer: UpdateStationAnswerSchema,
  },
  deleteStation: {
    tag,
    summary: 'Delete a station: its keys are revoked, its links removed, its runs kept',
    access: 'user-key',
    errors: ['NOT_FOUND'],
    answer: IdAnswerSchema,
  },
  linkStationProcedure: {
    tag,
    summary: 'Link a procedure to a station, which may then create runs of it',
    access: 'user-key',
    errors: ['NOT_FOUND'],
    answer: IdAnswerSchema,
  },
  unlinkStationProcedure: {
    tag,
    summary: 'Unlink a procedure from a station',
    access: 'user-key',
    errors: ['NOT_FOUND'],
    answer: IdAnswerSchema,
  },
} as const satisfies Record<string, Operation>
