import * as z from 'zod'

/** How often something happened, with the 95 % Wilson interval (docs/statistics.md). */
export const RateSchema = z.object({
  count: z.int().min(0).meta({ description: 'How often it happened' }),
  of: z.int().min(0).meta({ description: 'The sample: results that were looked at' }),
  rate: z.number().nullable().meta({ description: 'count ÷ of, from 0 to 1; null without a sample' }),
  low: z.number().nullable().meta({ description: 'Lower end of the 95 % interval' }),
  high: z.number().nullable().meta({ description: 'Upper end of the 95 % interval' }),
})
export type Rate = z.output<typeof RateSchema>
