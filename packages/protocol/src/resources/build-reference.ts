import * as z from 'zod'
import { ReturnedTimeSchema } from './common'

export const BuildReferenceSchema = z.object({
  group: z.string(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  author: z.string().nullable(),
  started_at: ReturnedTimeSchema,
})
export type BuildReference = z.output<typeof BuildReferenceSchema>
