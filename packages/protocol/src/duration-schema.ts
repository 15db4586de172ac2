import * as z from 'zod'
import { parseDurationUs } from './duration'

export const DurationSchema = z
  .string()
  .refine(
    (text) => parseDurationUs(text) !== undefined,
    'must be an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as PT27M15S',
  )
  .meta({ format: 'duration', examples: ['PT27M15S'] })
