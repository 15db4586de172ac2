import { parseJson } from '@runledger/core/tools'
import { foldIdentifier, hasFailedBefore, PhaseOutcomeSchema, type TestReference } from '@runledger/protocol'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import * as z from 'zod'

const ErrorsSchema = z.array(z.object({ message: z.string() })).default([])

const RunSchema = z.object({
  procedure_id: z.string(),
  report_variables: z.record(z.string(), z.string()).default({}),
  steps: z
    .array(
      z.object({
        name: z.string(),
        kind: z.string().optional(),
        step_passed: z.boolean(),
        location: z
          .object({ file: z.string(), line: z.number().optional(), column: z.number().optional() })
          .optional(),
        error: z.object({ message: z.string() }).optional(),
        attempts: z.array(z.object({ outcome: PhaseOutcomeSchema, errors: ErrorsSchema })).default([]),
      }),
    )
    .default([]),
})

type Run = z.output<typeof RunSchema>
type Step = Run['steps'][number]

export interface TestOutcome {
  /** `failed` also if the test passed only on a retry; `none` if the test did not run. */
  outcome: 'passed' | 'failed' | 'none'
  /** Message of the first failure. */
  error?: string | undefined
}

/**
 * Reads the results of tests, in their order, from the runs that an execution wrote to a file. Each test may have several names. Runs whose
 * ids are in `seen` do not count: a command that fails may import the report of an earlier execution.
 */
export async function readTestOutcomes(
  file: string,
  tests: readonly (readonly TestReference[])[],
  seen: Set<string>,
): Promise<TestOutcome[]> {
  const outcomes = tests.map((): TestOutcome => ({ outcome: 'none' }))
  const earlier = new Set(seen)
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const run = RunSchema.safeParse(parseJson(line)).data
    const id = run?.report_variables['submission_id']
    if (id !== undefined) seen.add(id)
    if (id !== undefined && earlier.has(id)) continue
    for (const [index, names] of tests.entries())
      for (const step of listSteps(run, names)) outcomes[index] = join(outcomes[index], step)
  }
  return outcomes
}

/** The first failure counts. */
function join(before: TestOutcome | undefined, step: Step): TestOutcome {
  if (before?.outcome === 'failed') return before
  return hasFailed(step) ? { outcome: 'failed', error: findError(step) } : { outcome: 'passed' }
}

/** Compares procedure, project, file and name. A repetition counts as the test. */
function listSteps(run: Run | undefined, names: readonly TestReference[]): Step[] {
  if (!run) return []
  const { file, project } = run.report_variables
  return run.steps.filter((step) =>
    names.some(
      (test) =>
        step.kind === 'test' &&
        (step.name.trim() === test.name || isRepetition(step, test.name, run)) &&
        (step.location?.file ?? file ?? null) === test.file &&
        (project ?? null) === test.project &&
        isOfProcedure(run.procedure_id, test),
    ),
  )
}

/**
 * The record calls repetitions of Playwright's `--repeat-each` `name (2)` and so on. Another test may have that title, but not the same
 * place.
 */
function isRepetition({ name, location }: Step, wanted: string, { steps, report_variables }: Run): boolean {
  const [, number] = /^ \((\d+)\)$/.exec(name.trim().slice(wanted.length)) ?? []
  if (report_variables['framework'] !== 'playwright' || !name.startsWith(wanted) || !number) return false
  return steps.some((step) => step.name.trim() === wanted && isSamePlace(step.location, location))
}

function isSamePlace(one: Step['location'], other: Step['location']): boolean {
  return one?.file === other?.file && one?.line === other?.line && one?.column === other?.column
}

/** Accepts a run without a procedure, because a reporter without a service may not know it. */
function isOfProcedure(given: string, { procedure: { id, identifier } }: TestReference): boolean {
  return given === '' || given === id || foldIdentifier(given) === foldIdentifier(identifier)
}

function hasFailed({ step_passed: isPassed, attempts }: Step): boolean {
  return !isPassed || hasFailedBefore({ retry_count: attempts.length - 1, attempts })
}

function findError({ error, attempts }: Step): string | undefined {
  return error?.message ?? attempts.flatMap(({ errors }) => errors)[0]?.message
}
