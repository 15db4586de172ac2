import { basename } from 'node:path'
import {
  COUNT_VARIABLES,
  type CreateRunRequest,
  formatDurationMs,
  formatTimestampMs,
  type Step,
  type TestFacts,
  toStorableText,
} from '@runledger/protocol'
import { type RUN_VARIABLES, RUNLEDGER_VARIABLES } from '../environment/report-variables'
import type { ExecutionFacts } from '../model/suite'
import type { MeasurementEvent, TestApiEvent } from '../model/test-api-event'
import { cleanName, type OwnFolders } from '../util/text'
import { listSteps, type PlannedStep } from './list-steps'
import { type Inspections, planAttachments, type PlannedAttachment } from './plan-attachments'
import { isPassed, type RunSource } from './run-source'
import { countRetries, countTestsOfSuites } from './suite-counts'
import { cutLog, formatLog, saysMoreThanSteps } from './suite-log'
import { TestFactMapper } from './test-facts'
import {
  type ConfiguredUnit,
  listSubUnitSerialNumbers,
  listTestApiEvents,
  mapLastUnitEvent,
  mapVariableEvents,
} from './map-test-api-events'

/** The facts that a run needs beside its suites. Plain data, so that mapping stays pure. */
export interface RunContext {
  /** Known before the run is created: its idempotency key, and a report variable to find it by. */
  submissionId: string
  facts: ExecutionFacts
  procedureId: string
  unit: CreateRunRequest['unit_under_test']
  /** Completes a unit that tests name by its serial number alone. */
  configuredUnit?: ConfiguredUnit | undefined
  subUnits: string[]
  /** Variables of the execution, then the user's; unknown ones are undefined. */
  variables: Record<string, string | undefined>
  logs: boolean
  /** Absent in the logs of earlier versions. */
  folders?: OwnFolders | undefined
  maxAttachmentBytes: number
}

export interface RunRecord {
  request: CreateRunRequest
  attachments: PlannedAttachment[]
}

/** Maps the suites of one run to its record (packages/core/README.md#how-a-suite-is-recorded). */
export function mapRun(source: RunSource, context: RunContext, inspections: Inspections): RunRecord {
  const { steps, skipped } = listSteps(source)
  const mapper = new TestFactMapper(context.folders)
  const facts = mapper.mapSteps(steps)
  const events = listTestApiEvents(source.suites)
  const log = makeLog(source, { ...context, inspections })
  const attachments = planAttachments({ suites: source.suites, steps, log }, inspections)
  const { startedAtMs, endedAtMs } = findSpan(source, events)
  const request: CreateRunRequest = {
    procedure_id: context.procedureId,
    unit_under_test: mapLastUnitEvent(events, context.configuredUnit) ?? context.unit,
    run_passed: isPassed(source),
    started_at: formatTimestampMs(startedAtMs),
    duration: formatDurationMs(endedAtMs - startedAtMs),
    steps: steps.map((step, index) => mapStep(step, facts[index])),
    skipped: skipped.length === 0 ? undefined : skipped.map((each) => mapper.mapSkipped(each)),
    sub_units: mapSubUnits(source, context),
    report_variables: mapVariables(source, events, context),
    attachments: attachments.map(({ name }) => name),
    // Added when the request is sent.
    inline_attachments: undefined,
  }
  return { request, attachments }
}

// Spreading first is 20 times as slow on Node 20: 0.1 s for 5,000 steps.
function mapStep(step: PlannedStep, facts: TestFacts | undefined): Step {
  const { name, passed, startedAtMs, durationMs, measurement, isDetail } = step
  const mapped = {
    name,
    step_passed: passed,
    started_at: formatTimestampMs(startedAtMs),
    duration: formatDurationMs(durationMs),
    // Not sent.
    isDetail,
    ...(measurement && mapMeasurement(measurement)),
    ...facts,
  }
  return mapped as Step
}

function mapMeasurement({ unit, value, low, high }: MeasurementEvent): Partial<Step> {
  return {
    measurement_unit: unit && toStorableText(unit),
    measurement_value: value,
    limit_low: low,
    limit_high: high,
  }
}

function mapSubUnits({ suites }: RunSource, { subUnits }: RunContext): CreateRunRequest['sub_units'] {
  const all = [...new Set([...subUnits, ...listSubUnitSerialNumbers(suites)])]
  return all.length === 0 ? undefined : all.map((serial_number) => ({ serial_number }))
}

/** From the first suite's start to the last one's end, widened to include every test API event. */
function findSpan(
  { suites }: RunSource,
  events: readonly TestApiEvent[],
): { startedAtMs: number; endedAtMs: number } {
  let [startedAtMs, endedAtMs] = [Infinity, -Infinity]
  const include = (atMs: number, durationMs: number): void => {
    startedAtMs = Math.min(startedAtMs, atMs)
    endedAtMs = Math.max(endedAtMs, atMs + durationMs)
  }
  for (const suite of suites) include(suite.startedAtMs, suite.durationMs)
  for (const each of events) include(each.atMs, each.kind === 'step' ? each.durationMs : 0)
  return { startedAtMs, endedAtMs }
}

/** Precedence: Runledger's variables, then those of tests, then configured ones. */
function mapVariables(
  source: RunSource,
  events: readonly TestApiEvent[],
  { facts, variables, submissionId }: RunContext,
): Record<string, string> {
  const counts = countTestsOfSuites(source.suites)
  const ofTests = Object.entries(mapVariableEvents(events)).filter(
    ([name]) => !RUNLEDGER_VARIABLES.includes(name),
  )
  const ours: Record<(typeof RUN_VARIABLES)[number], string | undefined> = {
    framework: facts.framework,
    framework_version: facts.frameworkVersion,
    project: source.project === '' ? undefined : cleanName(source.project),
    file: source.file,
    [COUNT_VARIABLES.passed]: String(counts.passed),
    [COUNT_VARIABLES.failed]: String(counts.failed),
    [COUNT_VARIABLES.skipped]: String(counts.skipped),
    [COUNT_VARIABLES.flaky]: String(counts.flaky),
    [COUNT_VARIABLES.errors]: String(counts.errors),
    retries: String(countRetries(source.suites)),
    submission_id: submissionId,
  }
  const known = new Map<string, string>()
  // In order of precedence: two names may become equal when they are made storable.
  for (const [name, value] of [...Object.entries(variables), ...ofTests, ...Object.entries(ours)]) {
    const storable = toStorableText(name)
    if (value === undefined) known.delete(storable)
    else known.set(storable, toStorableText(value))
  }
  known.delete('__proto__')
  return Object.fromEntries(known)
}

/** Undefined if logs are off, the log would only repeat the steps, or it does not fit. */
function makeLog({ suites, file }: RunSource, context: RunContext & { inspections: Inspections }) {
  if (!context.logs || !saysMoreThanSteps(suites, context)) return undefined
  const text = cutLog(formatLog(suites, context), context.maxAttachmentBytes)
  return text === '' ? undefined : { fileName: `${cleanName(basename(file))}.log`, text }
}
