import {
  GaugeStudySchema,
  GetGaugeStudyQuerySchema,
  GetLineMeasurementQuerySchema,
  LineFailureListSchema,
  LineMeasurementSchema,
  ListLineFailuresQuerySchema,
  ListWhereUsedQuerySchema,
  ListYieldsQuerySchema,
  WhereUsedSchema,
  YieldListSchema,
} from '../resources/line'
import { LineProcedureListSchema, ListLineProceduresQuerySchema } from '../resources/line-procedures'
import {
  GetLineUnitQuerySchema,
  GetRolledYieldsQuerySchema,
  LineUnitSchema,
  RolledYieldsSchema,
} from '../resources/line-unit'
import type { Operation } from './operation'

const tag = 'Line'

export const LINE_OPERATIONS = {
  listLineProcedures: {
    tag,
    summary: 'List the procedures of the line with their yield, worst batch and worst measurement',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: ListLineProceduresQuerySchema,
    response: LineProcedureListSchema,
  },
  listYields: {
    tag,
    summary: 'List the yields of a procedure by day, week, batch, station, version or revision',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: ListYieldsQuerySchema,
    response: YieldListSchema,
  },
  listLineFailures: {
    tag,
    summary: 'List the measurements and steps of a procedure, those that fail most first',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: ListLineFailuresQuerySchema,
    response: LineFailureListSchema,
  },
  getLineMeasurement: {
    tag,
    summary: 'Get a measurement with its control chart, capability, histogram, drifts and values',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: GetLineMeasurementQuerySchema,
    response: LineMeasurementSchema,
  },
  getGaugeStudy: {
    tag,
    summary: 'Get how much of the variation of a measurement comes from its stations',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: GetGaugeStudyQuerySchema,
    response: GaugeStudySchema,
  },
  listWhereUsed: {
    tag,
    summary: 'List the units that hold units of a batch, at any depth',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: ListWhereUsedQuerySchema,
    response: WhereUsedSchema,
  },
  getLineUnit: {
    tag,
    summary: 'Get the history of a unit: its tree, runs, verdicts, failures and measured values',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: GetLineUnitQuerySchema,
    response: LineUnitSchema,
  },
  getRolledYields: {
    tag,
    summary: 'Get the yields of each procedure of a part, a batch or a station, and their product',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: GetRolledYieldsQuerySchema,
    response: RolledYieldsSchema,
  },
} as const satisfies Record<string, Operation>
