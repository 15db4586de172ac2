import * as z from 'zod'
import { FINGERPRINT } from './test-facts'
import { TestReferenceSchema } from './test'

const CountSchema = z.int().min(0)

export const ResultCountsSchema = z.object({
  passed: CountSchema.meta({ description: 'Flaky ones are not among these' }),
  flaky: CountSchema,
  failed: CountSchema,
  skipped: CountSchema,
})
export type ResultCounts = z.output<typeof ResultCountsSchema>

/** Null is unknown. */
export const buildFactFields = {
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  commit_subject: z.string().nullable(),
  author: z.string().nullable(),
  pull_request: z.string().nullable(),
  event: z.string().nullable().meta({ description: 'What started it in a CI, such as `push`' }),
  ci_build_url: z.string().nullable(),
  repository: z.string().nullable(),
}

/** Why many results failed together: they share the fingerprint of their first error. */
export const CauseSchema = z.object({
  fingerprint: z.string().meta({ description: FINGERPRINT }),
  message: z.string(),
  location: z.string().nullable().meta({ description: '`file:line` of the error' }),
  tests_count: CountSchema,
  tests: z
    .array(TestReferenceSchema.extend({ run_id: z.string() }))
    .meta({ description: 'The first of them' }),
})
export type Cause = z.output<typeof CauseSchema>

/** An infrastructure build is left out of every rate. */
export const InfrastructureSchema = z.boolean().meta({
  description:
    'At least 80 % of its results failed, or one error is in at least 30 % of them and in 10 tests',
})
