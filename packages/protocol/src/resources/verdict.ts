import * as z from 'zod'
import { VERDICTS } from './choices'
import { FilterTextSchema, queryList } from './page'
import { ReturnedTimeSchema } from './common'

/** Most failures in a response, and most failed runs that are searched for them. */
export const MAX_VERDICTS = 300
export const MAX_VERDICT_RUNS = 500

/** `GET /v2/verdicts`: of these runs, or of all runs of a group. */
export const ListVerdictsQuerySchema = z
  .object({
    ids: queryList(FilterTextSchema).meta({ description: 'Of runs; those that passed have no failures' }),
    group: FilterTextSchema.nullish().meta({ description: 'Report variable `group` of the runs' }),
  })
  .refine(({ ids = [], group }) => ids.length > 0 || Boolean(group), {
    path: ['ids'],
    message: 'must name a run where there is no group',
  })
export type ListVerdictsQuery = z.output<typeof ListVerdictsQuerySchema>

export const VerdictSchema = z.enum(VERDICTS)
export type Verdict = z.output<typeof VerdictSchema>

/** The verdict in words: `already failing`. */
export function nameVerdict(verdict: Verdict): string {
  return verdict.replace('_', ' ')
}

export const VERDICT_BASES = ['merge-base', 'default-branch', 'branch', 'unit', 'none'] as const
export const VerdictBasisSchema = z.enum(VERDICT_BASES)
export type VerdictBasis = z.output<typeof VerdictBasisSchema>

const KnownRunSchema = z.object({
  id: z.string(),
  started_at: ReturnedTimeSchema,
  commit: z.string().nullable().meta({ description: 'Report variable `git_commit`' }),
})
export type KnownRun = z.output<typeof KnownRunSchema>

/** A step is looked up for this many other units. */
export const MAX_OTHER_UNITS = 100

const UnitHistorySchema = z.object({
  earlier_runs: z
    .int()
    .meta({ description: 'Earlier runs of this unit with this step, as far as they were read' }),
  earlier_failures: z.int().meta({ description: 'How many of these failed at this step' }),
  first_failed: KnownRunSchema.optional().meta({ description: 'The first of these failures' }),
  passed_between: KnownRunSchema.optional().meta({
    description: 'The last run in which the step passed after an earlier failure and before this one',
  }),
  passed_later: KnownRunSchema.optional().meta({
    description: 'The first run after this one in which the step passed',
  }),
  other_units: z.object({ tested: z.int(), failed: z.int() }).meta({
    description: `The last other units (${MAX_OTHER_UNITS} at most, samples left out) whose runs with this step began before this one, and how many of them failed at it at least once`,
  }),
})
export type UnitHistory = z.output<typeof UnitHistorySchema>

export const FailureVerdictSchema = z.object({
  run_id: z.string(),
  phase_id: z.string(),
  name: z.string().meta({ description: 'Of the test' }),
  verdict: VerdictSchema,
  basis: VerdictBasisSchema.meta({ description: 'What it was compared with' }),
  failing_since: KnownRunSchema.extend({
    builds: z.int().meta({ description: 'How many builds failed in a row, this one not counted' }),
  })
    .optional()
    .meta({
      description:
        'Where it is already failing: the first run of the unbroken row of failures on the branch of the basis. Without last_passed it may have begun earlier than is on record',
    }),
  known_on_basis: z.boolean().optional().meta({
    description:
      'For `already_failing` and `flaky`: whether the basis shows that the failure is older than the tested change. One of two facts must be true. First: the test failed on the merge base, else in the last build of the default branch, in all jobs of the same environment. Failures in an infrastructure build, or in another build of the same branch and commit, do not count: the build before it does. Second: results in the same environment, of that commit or of the default branch up to it, show that the test is flaky, and the test did not fail in each of several attempts in this run. For a run of a CI, only runs of a CI count',
  }),
  last_passed: KnownRunSchema.optional().meta({
    description:
      'Where it last passed before, on the branch of the basis or on the unit, as far as is on record',
  }),
  unit: UnitHistorySchema.optional().meta({
    description: 'Where the basis is `unit`: how the unit did at this step',
  }),
  default_branch_unknown: z.literal(true).optional().meta({
    description: 'The run names no `git_default_branch`, so that only its own branch could be compared',
  }),
})
export type FailureVerdict = z.output<typeof FailureVerdictSchema>

export const VerdictListSchema = z.object({
  data: z.array(FailureVerdictSchema),
  counts: z.object({
    new: z.int(),
    already_failing: z.int(),
    flaky: z.int(),
    first_seen: z.int(),
    first_failure: z.int(),
    failed_before: z.int(),
  }),
  more_failures: z.int().meta({ description: `Failures beyond the first ${MAX_VERDICTS}` }),
})
export type VerdictList = z.output<typeof VerdictListSchema>
