import * as z from 'zod'
import { DurationSchema } from '../duration-schema'
import { optional } from '../optional'
import { TimestampSchema } from '../time-schema'
import { SampleSchema } from './common'
import { queryList, FilterTextSchema } from './page'

export const EnvironmentSchema = z.enum(['production', 'preview', 'development'])

/** Filters that the lists of runs, phases, measurements and logs share. */
export const runFilterFields = {
  procedure_versions: queryList(FilterTextSchema),
  deployment_ids: queryList(FilterTextSchema),
  environments: queryList(EnvironmentSchema),
  serial_numbers: queryList(FilterTextSchema),
  samples: queryList(SampleSchema),
  part_numbers: queryList(FilterTextSchema),
  revision_numbers: queryList(FilterTextSchema),
  batch_numbers: queryList(FilterTextSchema),
  created_by_user_ids: queryList(FilterTextSchema),
  created_by_station_ids: queryList(FilterTextSchema),
}

/** Times and durations of runs, phases or measurements, bounds included. */
export const periodFilterFields = {
  duration_min: optional(DurationSchema),
  duration_max: optional(DurationSchema),
  started_after: optional(TimestampSchema),
  started_before: optional(TimestampSchema),
}

/** The operator of runs, phases and measurements. */
export const operatorFilterFields = { operated_by_ids: queryList(FilterTextSchema) }
