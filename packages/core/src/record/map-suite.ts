import { basename } from 'node:path'
import {
  formatDurationMs,
  formatTimestampMs,
  toStorableText,
  type CreateRunRequest,
  type Step,
} from '@runledger/protocol'
import type { Inspections } from './inspect-attachments'
import { AttachmentPlan, type PlannedAttachment } from './plan-attachments'
import type { ExecutionFacts } from '../execution'
import { RUNLEDGER_VARIABLES, type RUN_VARIABLES } from '../environment/variables'
import type { Suite } from '../model/suite'
import type { Said, SaidMeasurement } from '../test-side/said'
import { countTests, sumCounts, type TestCounts } from './count-tests'
import { listSteps, type PlannedStep } from './list-steps'
import { isPassed, type RunSource } from './run-source'
import { findSaidUnit, listSaid, listSaidSubUnits, mapSaidVariables } from './said'
import { cleanName } from './step-name'
import { cutLog, formatLog, type LogContext } from './suite-log'
import { Surveys } from './survey'

/** What a run's record needs beside its suites; worked out by the caller, so that mapping stays pure. */
export interface RunContext {
  /** The run's own id from before it is created: its idempotency key, and a report variable to find it by. */
  submissionId: string
  facts: ExecutionFacts
  procedureId: string
  unit: CreateRunRequest['unit_under_test']
  /** Part and revision that were configured for it: they go with a unit that tests name by its serial number alone. */
  configuredPart?: { partNumber?: string | undefined; revision?: string | undefined } | undefined
  subUnits: string[]
  /** Variables of the execution and its surroundings, then the user's own; unknown ones are undefined. */
  variables: Record<string, string | undefined>
  logs: boolean
  inspections: Inspections
  /** Longest log, in bytes; a longer one is cut. */
  maxAttachmentBytes: number
  /** What is known of the suites already. */
  surveys?: Surveys | undefined
}

/** A run ready to be delivered: the creation request, and the attachments that it declares. */
export interface RunRecord {
  request: CreateRunRequest
  attachments: PlannedAttachment[]
}

/** Maps the suites of one run to its record (`product.md`, From a suite to a run). */
export function mapRun(source: RunSource, context: RunContext): RunRecord {
  const { surveys = new Surveys() } = context
  const steps = listSteps(source, surveys)
  const said = listSaid(source.suites, surveys)
  const counts = source.suites.map((suite) => countTests(suite, surveys))
  const plan = planAttachments(source, steps, { ...context, surveys, counts, hasSaid: said.length > 0 })
  const { startedAtMs, endedAtMs } = findSpan(source, said)
  const request: CreateRunRequest = {
    procedure_id: context.procedureId,
    unit_under_test: findSaidUnit(said, context.configuredPart) ?? context.unit,
    run_passed: isPassed(source),
    started_at: formatTimestampMs(startedAtMs),
    duration: formatDurationMs(endedAtMs - startedAtMs),
    steps: steps.map(mapStep),
    sub_units: mapSubUnits(said.length === 0 ? [] : source.suites, context),
    report_variables: mapVariables(source, said, { ...context, counts: sumCounts(counts) }),
    attachments: plan.attachments.map(({ name }) => name),
    // Put in when it is sent, from the attachments.
    inline_attachments: undefined,
  }
  return { request, attachments: plan.attachments }
}

function mapStep({ name, passed, startedAtMs, durationMs, measurement }: PlannedStep): Step {
  // What a step has not is left out: in JSON that is the same as undefined.
  const step = {
    name,
    step_passed: passed,
    started_at: formatTimestampMs(startedAtMs),
    duration: formatDurationMs(durationMs),
  } as Step
  return measurement === undefined ? step : { ...step, ...mapMeasurement(measurement) }
}

function mapMeasurement({ unit, value, low, high }: SaidMeasurement): Partial<Step> {
  return {
    measurement_unit: unit && toStorableText(unit),
    measurement_value: value,
    limit_low: low,
    limit_high: high,
  }
}

function mapSubUnits(suites: readonly Suite[], { subUnits }: RunContext): CreateRunRequest['sub_units'] {
  const all = [...new Set([...subUnits, ...listSaidSubUnits(suites)])]
  return all.length === 0 ? undefined : all.map((serial_number) => ({ serial_number }))
}

/** From the first suite's start to the last one's end; all that was said is inside, whatever a framework counts as its time. */
function findSpan({ suites }: RunSource, said: readonly Said[]): { startedAtMs: number; endedAtMs: number } {
  let [startedAtMs, endedAtMs] = [Infinity, -Infinity]
  const include = (atMs: number, durationMs = 0): void => {
    startedAtMs = Math.min(startedAtMs, atMs)
    endedAtMs = Math.max(endedAtMs, atMs + durationMs)
  }
  for (const suite of suites) include(suite.startedAtMs, suite.durationMs)
  for (const each of said) include(each.atMs, each.kind === 'step' ? each.durationMs : 0)
  return { startedAtMs, endedAtMs }
}

/** Ours go over what tests said, and that over the user's; values are strings; unknown ones are left out. */
function mapVariables(
  source: RunSource,
  said: readonly Said[],
  { facts, variables, submissionId, counts }: RunContext & { counts: TestCounts },
): Record<string, string> {
  const theirs = Object.entries(mapSaidVariables(said)).filter(
    ([name]) => !RUNLEDGER_VARIABLES.includes(name),
  )
  const ours: Record<(typeof RUN_VARIABLES)[number], string | undefined> = {
    framework: facts.framework,
    framework_version: facts.frameworkVersion,
    project: source.project === '' ? undefined : cleanName(source.project),
    file: source.file,
    tests_passed: String(counts.passed),
    tests_failed: String(counts.failed),
    tests_skipped: String(counts.skipped),
    tests_flaky: String(counts.flaky),
    retries: String(counts.retries),
    submission_id: submissionId,
  }
  const known = new Map<string, string>()
  // One after the other: names that are told apart before they are made storable may be one after it.
  for (const [name, value] of [...Object.entries(variables), ...theirs, ...Object.entries(ours)]) {
    const storable = toStorableText(name)
    if (value === undefined) known.delete(storable)
    else known.set(storable, toStorableText(value))
  }
  known.delete('__proto__')
  return Object.fromEntries(known)
}

function planAttachments(
  source: RunSource,
  steps: PlannedStep[],
  context: RunContext & LogContext,
): AttachmentPlan {
  const plan = new AttachmentPlan(context.inspections)
  if (context.logs) {
    const bytes = cutLog(formatLog(source.suites, context), context.maxAttachmentBytes)
    if (bytes.byteLength > 0)
      plan.addBytes(`${cleanName(basename(source.file))}.log`, bytes, 'text/plain; charset=utf-8')
  }
  plan.addSteps(steps)
  plan.addSuites(source.suites)
  return plan
}
