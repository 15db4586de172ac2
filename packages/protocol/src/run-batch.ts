import * as z from 'zod'
import { V1ErrorSchema } from './error'
import { listOf } from './list-schema'
import { optional } from './optional'
import { CreateRunResponseSchema } from './responses'
import { MAX_BATCH_RUNS } from './batch-limits'

/** Our addition: a service that does not know it answers 404, and gets the runs one by one. */
export const CreateRunsRequestSchema = z.object({
  runs: listOf(
    z.object({
      idempotency_key: optional(z.string().min(1).max(255)).meta({
        description: 'What the header Idempotency-Key says of a run that is sent by itself',
      }),
      run: z.unknown().meta({ description: 'A run, as POST /v1/runs/create takes it' }),
    }),
  )
    .min(1)
    .max(MAX_BATCH_RUNS),
})

/** The results in the order sent: `created`, or the `error`. */
export const CreateRunsResponseSchema = z.object({
  runs: z.array(
    z.object({
      created: optional(CreateRunResponseSchema).optional(),
      error: optional(V1ErrorSchema).optional(),
    }),
  ),
})
export type CreateRunsResponse = z.output<typeof CreateRunsResponseSchema>
