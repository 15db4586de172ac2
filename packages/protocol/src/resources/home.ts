import * as z from 'zod'
import { LEAST_BATCH_UNITS } from './limits'
import { BuildStateSchema } from './build'
import { ProcedureReferenceSchema } from './common'
import { BuildListItemSchema } from './build-list'
import { TestReferenceSchema, TestStateSchema } from './test'

/** The number of last builds shown for a project. */
export const HOME_BUILDS = 30

/** A procedure with runs of software. */
export const HomeProjectSchema = z.object({
  procedure: ProcedureReferenceSchema,
  default_branch: z.string().nullable().meta({
    description:
      '`git_default_branch` of its last run that names one; null where none does: then builds of all branches count',
  }),
  builds: z
    .array(z.object({ group: z.string(), state: BuildStateSchema, is_infrastructure: z.boolean() }))
    .meta({ description: `The last ${HOME_BUILDS} builds of the default branch, the oldest first` }),
  last_build: BuildListItemSchema.nullable(),
  tests: z.object({
    total: z.int().meta({ description: 'With results of the last 14 days on the default branch' }),
    flaky: z.int().meta({ description: 'With evidence that they are flaky' }),
    broken: z.int().meta({ description: 'Whose last segment is broken' }),
    slower: z.int().meta({
      description:
        'Whose mean in the second half of the period is at least 20 % and 100 ms above that in the first, of 5 results each',
    }),
  }),
})
export type HomeProject = z.output<typeof HomeProjectSchema>

/** A production procedure: its runs are about units. */
export const HomeLineSchema = z.object({
  procedure: ProcedureReferenceSchema,
  units_tested: z.int().meta({ description: 'In the last 28 days' }),
  first_pass: z.object({ passed: z.int(), of: z.int() }).meta({
    description: 'Units whose first run of the procedure passed, of units tested in the last 28 days',
  }),
  worst_batch: z
    .object({ number: z.string(), passed: z.int(), of: z.int() })
    .nullable()
    .meta({
      description: `The batch with the lowest first-pass yield of these units, of at least ${LEAST_BATCH_UNITS}; null where all batches passed whole`,
    }),
  last_run_at: z.string(),
})
export type HomeLine = z.output<typeof HomeLineSchema>

/** Something that needs a person, the most urgent first. */
export const HomeItemSchema = z.object({
  kind: z.enum(['build-failed', 'build-incomplete', 'test-broken', 'test-flaky']),
  procedure: ProcedureReferenceSchema,
  group: z.string().nullable(),
  test: TestReferenceSchema.extend({ state: TestStateSchema }).nullable(),
  text: z.string(),
})
export type HomeItem = z.output<typeof HomeItemSchema>

export const HomeSchema = z.object({
  projects: z.array(HomeProjectSchema),
  lines: z.array(HomeLineSchema),
  needs_you: z.array(HomeItemSchema).meta({ description: 'At most five' }),
})
export type Home = z.output<typeof HomeSchema>
