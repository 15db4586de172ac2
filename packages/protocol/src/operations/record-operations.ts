import { ListLogsQuerySchema, LogPageSchema, LogSchema } from '../resources/log'
import {
  ListMeasurementsQuerySchema,
  MeasurementDetailSchema,
  MeasurementPageSchema,
} from '../resources/measurement-list'
import { ListPhasesQuerySchema, PhaseDetailSchema, PhasePageSchema } from '../resources/phase'
import {
  ErrorDetailSchema,
  ErrorPageSchema,
  GetErrorQuerySchema,
  ListErrorsQuerySchema,
} from '../resources/test-error-list'
import { ListVerdictsQuerySchema, VerdictListSchema } from '../resources/verdict'
import { ID_PARAMS } from './path-params'
import type { Operation } from './operation'

const tag = 'Records of runs'

export const RECORD_OPERATIONS = {
  listPhases: {
    tag,
    summary: 'List phases of the runs of a procedure',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListPhasesQuerySchema,
    response: PhasePageSchema,
  },
  getPhase: {
    tag,
    summary: 'Get a phase with its measurements',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    response: PhaseDetailSchema,
  },
  listMeasurements: {
    tag,
    summary: 'List measurements of the runs of a procedure',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListMeasurementsQuerySchema,
    response: MeasurementPageSchema,
  },
  getMeasurement: {
    tag,
    summary: 'Get a measurement with its validators, aggregations and data series',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    response: MeasurementDetailSchema,
  },
  listLogs: {
    tag,
    summary: 'List log entries of all runs',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListLogsQuerySchema,
    response: LogPageSchema,
  },
  getLog: {
    tag,
    summary: 'Get a log entry',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    response: LogSchema,
  },
  listErrors: {
    tag,
    summary: 'List the errors of failed tests, most recent first; equal errors are one entry',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListErrorsQuerySchema,
    response: ErrorPageSchema,
  },
  getError: {
    tag,
    summary: 'Get an error with its days, its tests and the last runs that had it',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: GetErrorQuerySchema,
    response: ErrorDetailSchema,
  },
  listVerdicts: {
    tag,
    summary: 'Tell which failures of runs are new, and since when the others have been failing',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListVerdictsQuerySchema,
    response: VerdictListSchema,
  },
} as const satisfies Record<string, Operation>
