import * as z from 'zod'
import { PhaseInputSchema } from './resources/create-run'

/** Milliseconds since the Unix epoch; microseconds, which is what is stored, are exact from 1684 to 2255. */
const MillisSchema = z
  .number()
  .refine(
    (millis) => Number.isSafeInteger(Math.round(millis * 1000)),
    'must be milliseconds since the Unix epoch, before the year 2255',
  )
  .meta({ examples: [Date.UTC(2026, 10, 20, 9, 30)] })

/** A phase as clients of v1 send it (docs/interface.md#clients-of-v1). */
export const V1PhaseSchema = PhaseInputSchema.omit({ started_at: true, ended_at: true }).extend({
  start_time_millis: MillisSchema,
  end_time_millis: MillisSchema,
})
export type V1Phase = z.output<typeof V1PhaseSchema>
