import * as z from 'zod'
import { DurationSchema } from '../duration-schema'
import { listOf, MAX_NAMED } from '../list-schema'
import { seldom } from '../optional'
import { CutTextSchema, TextSchema } from '../text-schema'
import { TimestampSchema } from '../time-schema'
import { ReturnedDurationSchema, ReturnedTimeSchema } from './common'
import { PhaseOutcomeSchema } from './outcomes'
import {
  ERROR_BYTES,
  MAX_ATTEMPTS,
  MAX_ERRORS,
  MAX_RUN_FACTS,
  MAX_SENT,
  type TEST_FACTS,
} from './test-fact-limits'

const MoreSchema = z.int().min(0).max(1_000_000)

export const LocationSchema = z
  .object({
    file: CutTextSchema.meta({ description: 'Relative to the project root, with / between folders' }),
    line: seldom(z.int().min(0)),
    column: seldom(z.int().min(0)),
  })
  .meta({ description: 'A place in the code' })
export type Location = z.output<typeof LocationSchema>

function textOf(name: keyof typeof ERROR_BYTES, what: string) {
  const description = `${what}; cut in its middle above ${ERROR_BYTES[name] / 1024} KiB, ANSI codes are removed`
  return z.string().meta({ description })
}

const errorFields = {
  message: textOf('message', 'What went wrong'),
  stack: seldom(textOf('stack', 'Where it was thrown')),
  location: seldom(LocationSchema),
  expected: seldom(textOf('expected', 'The value that was wanted')),
  actual: seldom(textOf('actual', 'The value that was there')),
  diff: seldom(textOf('diff', 'The difference between the two')),
  snippet: seldom(textOf('snippet', 'The code around the failing line')),
}

export const TestErrorInputSchema = z.object(errorFields)
export type TestErrorInput = z.output<typeof TestErrorInputSchema>

const WorkerSchema = z.int().min(0).max(1_000_000_000)
const WORKER = 'Number of the framework’s worker that it ran in'

export const AttemptInputSchema = z.object({
  outcome: PhaseOutcomeSchema,
  started_at: TimestampSchema,
  duration: DurationSchema,
  worker: seldom(WorkerSchema).meta({ description: WORKER }),
  errors: seldom(listOf(TestErrorInputSchema).max(MAX_SENT)),
  more_errors: seldom(MoreSchema).meta({ description: 'Errors that are not in errors' }),
})
export type AttemptInput = z.output<typeof AttemptInputSchema>

const TAGS = 'Labels of the test, such as @smoke or the type of an annotation'
const ANNOTATIONS = 'What the test says of itself, such as the address of an issue'
const SNIPPET = 'The code around the place where the step is called'
const KIND = 'A test, a named step within one, a measured value, an error of a hook, or an error of no test'
const OWNER = 'Who answers for the test, such as @cart-team'

export const StepKindSchema = z.enum(['test', 'step', 'measurement', 'hook', 'suite'])
export type StepKind = z.output<typeof StepKindSchema>

export const AnnotationInputSchema = z.object({ type: CutTextSchema, description: CutTextSchema })

/** Facts of a test in a v1 step or a v2 phase: all are our addition and optional. */
export const testFactFields = {
  location: seldom(LocationSchema).meta({ description: 'Where the test is declared' }),
  error: seldom(TestErrorInputSchema).meta({
    description: 'Why the last attempt failed; the first of errors',
  }),
  errors: seldom(listOf(TestErrorInputSchema).max(MAX_SENT)).meta({
    description: `All errors of the last attempt, of which the first ${MAX_ERRORS} are kept; errors, attempts, tags, annotations, different files and owners of all tests of a run together are at most ${MAX_RUN_FACTS}`,
  }),
  more_errors: seldom(MoreSchema).meta({ description: 'Errors of the last attempt that are not in errors' }),
  attempts: seldom(listOf(AttemptInputSchema).max(MAX_SENT)).meta({
    description: `All attempts in order where there was more than one, the last being the step itself; the first ${MAX_ATTEMPTS - 1} and the last are kept`,
  }),
  more_attempts: seldom(MoreSchema).meta({
    description: 'Attempts before the last one that are not in attempts',
  }),
  tags: seldom(listOf(CutTextSchema).max(MAX_NAMED)).meta({ description: TAGS }),
  annotations: seldom(listOf(AnnotationInputSchema).max(MAX_NAMED)).meta({ description: ANNOTATIONS }),
  worker: seldom(WorkerSchema).meta({ description: `${WORKER}; of the last attempt` }),
  snippet: seldom(textOf('snippet', SNIPPET)),
  kind: seldom(StepKindSchema).meta({ description: KIND }),
  parent: seldom(z.int().min(0)).meta({
    description: 'Index in this list of the step that this one belongs to',
  }),
  owner: seldom(CutTextSchema).meta({ description: OWNER }),
} satisfies Record<(typeof TEST_FACTS)[number], z.ZodType>

type TestFactFields = z.ZodObject<typeof testFactFields>
export type TestFacts = z.output<TestFactFields>

export const SkippedTestInputSchema = z.object({
  name: TextSchema,
  reason: seldom(CutTextSchema),
  location: seldom(LocationSchema),
  tags: seldom(listOf(CutTextSchema).max(MAX_NAMED)).meta({ description: TAGS }),
})
export type SkippedTestInput = z.output<typeof SkippedTestInputSchema>

export const SkippedTestsSchema = seldom(listOf(SkippedTestInputSchema)).meta({
  description: 'Tests that did not run: no step, and of no influence on the outcome',
})

export const ReturnedLocationSchema = z.object({
  file: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
})

export const FINGERPRINT = 'The same for errors that are the same but for numbers, quoted values and the like'

/** An error in responses; equal fingerprints count as the same error. */
export const TestErrorSchema = z.object({
  fingerprint: z.string().meta({ description: FINGERPRINT }),
  message: z.string(),
  stack: z.string().optional(),
  location: ReturnedLocationSchema.optional(),
  expected: z.string().optional(),
  actual: z.string().optional(),
  diff: z.string().optional(),
  snippet: z.string().optional(),
})
export type TestError = z.output<typeof TestErrorSchema>

export const AttemptSchema = z.object({
  outcome: PhaseOutcomeSchema,
  started_at: ReturnedTimeSchema,
  duration: ReturnedDurationSchema,
  worker: z.int().optional().meta({ description: WORKER }),
  errors: z.array(TestErrorSchema).optional(),
  more_errors: z.int().optional(),
})
export type Attempt = z.output<typeof AttemptSchema>

export const AnnotationSchema = z.object({ type: z.string(), description: z.string() })
export type Annotation = z.output<typeof AnnotationSchema>

/** Facts that were not sent are absent. */
export const returnedFactFields = {
  location: ReturnedLocationSchema.optional(),
  error: TestErrorSchema.optional(),
  errors: z.array(TestErrorSchema).optional(),
  more_errors: z.int().optional(),
  attempts: z.array(AttemptSchema).optional(),
  more_attempts: z.int().optional(),
  tags: z.array(z.string()).optional().meta({ description: TAGS }),
  annotations: z.array(AnnotationSchema).optional().meta({ description: ANNOTATIONS }),
  worker: z
    .int()
    .optional()
    .meta({ description: `${WORKER}; of the last attempt` }),
  snippet: z.string().optional().meta({ description: SNIPPET }),
  kind: StepKindSchema.optional().meta({ description: KIND }),
  parent: z.int().optional().meta({
    description: 'Index in the phases of the run of the phase that this one belongs to',
  }),
  owner: z.string().optional().meta({ description: OWNER }),
}

export const SkippedTestSchema = z.object({
  name: z.string(),
  reason: z.string().optional(),
  location: ReturnedLocationSchema.optional(),
  tags: z.array(z.string()).optional().meta({ description: TAGS }),
})
export type SkippedTest = z.output<typeof SkippedTestSchema>
