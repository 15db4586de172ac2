import * as z from 'zod'
import { DurationSchema } from '../duration-schema'
import { optional } from '../optional'
import { TimestampSchema } from '../time-schema'
import { SampleSchema } from './common'
import { queryList, FilterTextSchema } from './page'

export const EnvironmentSchema = z.enum(['production', 'preview', 'development'])

/** Filters by what a run is of and who made it, the same in the lists of runs, phases, measurements and logs. */
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

/** Filters by times and durations of runs, phases or measurements, each bound within the range. */
export const periodFilterFields = {
  duration_min: optional(DurationSchema),
  duration_max: optional(DurationSchema),
  started_after: optional(TimestampSchema),
  started_before: optional(TimestampSchema),
}

/** Filter by who operated, of runs, phases and measurements. */
export const operatorFilterFields = { operated_by_ids: queryList(FilterTextSchema) }
