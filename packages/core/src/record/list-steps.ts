import type { StepKind } from '@runledger/protocol'
import type { ErrorDetail, SourceLocation } from '../model/error-detail'
import { hasRun, type Problem, type Suite, type SuiteTest } from '../model/suite'
import type { MeasurementEvent, TestApiEvent } from '../model/test-api-event'
import type { RunSource } from './run-source'
import { filterKinds, lastAttemptEvents } from './map-test-api-events'
import { isDetail, nameSteps, type NamedGroup, type NamedSuite, type StepLikeEvent } from './name-steps'
import { formatStepName } from './step-name'
import { listProblems } from './suite-counts'

/** A future step: a test that ran, a measurement or step inside it, or an error that belongs to no test. */
export interface PlannedStep {
  name: string
  passed: boolean
  startedAtMs: number
  durationMs: number
  kind: StepKind
  errors: readonly ErrorDetail[]
  location?: SourceLocation | undefined
  snippet?: string | undefined
  isDetail?: true | undefined
  /** Index of its outer step. */
  parent?: number | undefined
  test?: SuiteTest
  measurement?: MeasurementEvent
}

/** A step followed by its measurements and inner steps. */
interface PlannedGroup extends PlannedStep, NamedGroup {
  /** Indexes of the steps outside of tests, by their names from the outermost on. */
  places?: Map<string, number>
  /** Only its events become steps: they are outside of tests, or in a test without a verdict. */
  isHidden?: boolean
}

export interface ListedSteps {
  /**
   * One step for each test that ran, in order of execution, each followed by those of its last attempt; then one failing
   * step for each error that belongs to no test. A failed suite has at least one failing step.
   */
  steps: PlannedStep[]
  /** Tests that did not run. */
  skipped: { name: string; test: SuiteTest }[]
}

export function listSteps(source: RunSource): ListedSteps {
  const suites = source.suites.map((suite) => planSuite(suite, listPrefix(source, suite)))
  const groups = suites.flatMap(listGroups)
  limitDetails(groups)
  nameSteps(suites)
  const steps: PlannedStep[] = []
  for (const group of groups) addGroup(steps, group)
  return { steps, skipped: suites.flatMap(listSkipped) }
}

interface PlannedSuite extends NamedSuite {
  tests: PlannedGroup[]
  events: PlannedGroup[]
  problems: PlannedGroup[]
}

function planSuite(suite: Suite, prefix: Prefix): PlannedSuite {
  const tests = planTests(suite, prefix)
  const events = planSuiteEvents(suite, tests, prefix)
  const problems = listProblems(suite).map((problem) => planProblem(suite, problem, prefix))
  return { project: suite.project, tests, events, problems }
}

function listGroups({ tests, events, problems }: PlannedSuite): PlannedGroup[] {
  const timed = [...events, ...tests].sort((a, b) => a.startedAtMs - b.startedAtMs)
  return [...timed, ...problems]
}

function listSkipped({ tests }: PlannedSuite): ListedSteps['skipped'] {
  return tests.flatMap(({ name, test }) => (test && !hasRun(test.outcome) ? [{ name, test }] : []))
}

/** The most details of a run: an attempt that would exceed it has none. */
const MAX_DETAILS = 3_000

/** Details of last attempts come first, then those of earlier attempts, the latest first. */
function limitDetails(groups: readonly PlannedGroup[]): void {
  let left = MAX_DETAILS
  for (const group of groups) left -= keepAttempt(group, undefined, left)
  for (const group of groups) {
    const earlier = new Set(group.events.flatMap((event) => (isDetail(event) && event.attempt) || []))
    for (const attempt of [...earlier].toSorted((a, b) => b - a)) left -= keepAttempt(group, attempt, left)
  }
}

/** Drops an attempt's details if there are too many; returns the number kept. */
function keepAttempt(group: PlannedGroup, attempt: number | undefined, left: number): number {
  const isOfAttempt = (event: StepLikeEvent): boolean => isDetail(event) && event.attempt === attempt
  const count = group.events.filter(isOfAttempt).length
  if (count <= left) return count
  group.events = group.events.filter((event) => !isOfAttempt(event))
  return 0
}

type Prefix = readonly string[]

function listPrefix({ namesFiles }: RunSource, { file }: Suite): Prefix {
  return namesFiles ? [file] : []
}

const STEP_KINDS = ['measurement', 'step'] as const

function planTests(suite: Suite, prefix: Prefix): PlannedGroup[] {
  return suite.tests.map((test): PlannedGroup => {
    const { titles, outcome, startedAtMs, durationMs, attempts, location } = test
    const passed = outcome === 'passed'
    return {
      name: formatStepName([...prefix, ...titles]),
      kind: 'test',
      passed,
      startedAtMs,
      durationMs,
      // An expected failure has errors, too.
      errors: passed ? [] : (attempts.at(-1)?.errors ?? []),
      location,
      test,
      events: inOrder(lastAttemptEvents(test, STEP_KINDS)),
      isHidden: !hasRun(outcome),
    }
  })
}

// Frameworks report starts in whole milliseconds, on a slightly different clock.
const CLOCK_TOLERANCE_MS = 2

/** Events outside of tests are placed by time, before a test that began within the clock tolerance. */
function planSuiteEvents(suite: Suite, tests: readonly PlannedGroup[], prefix: Prefix): PlannedGroup[] {
  const places = new Map<string, number>()
  const name = prefix.length === 0 ? '' : formatStepName(prefix)
  return inOrder(filterKinds(suite.events, STEP_KINDS)).map((event) => {
    const next = tests.find((test) => {
      const aheadMs = event.atMs - test.startedAtMs
      return aheadMs >= 0 && aheadMs <= CLOCK_TOLERANCE_MS && (test.events[0]?.order ?? -1) > event.order
    })
    return {
      ...planEvent(event, name),
      startedAtMs: next?.startedAtMs ?? event.atMs,
      events: [event],
      places,
      isHidden: true,
    }
  })
}

/** A step is recorded when it ends, and placed where it began. */
function inOrder<Event extends TestApiEvent>(events: Event[]): Event[] {
  return events.toSorted((a, b) => a.order - b.order)
}

function planProblem(
  { startedAtMs: suiteStartedAtMs }: Suite,
  { name, atMs: startedAtMs = suiteStartedAtMs, errors, kind }: Problem,
  prefix: Prefix,
): PlannedGroup {
  const stepName = formatStepName([...prefix, name])
  const times = { startedAtMs, durationMs: 0 }
  return { name: stepName, kind: kind ?? 'suite', passed: false, ...times, errors, events: [] }
}

function addGroup(
  steps: PlannedStep[],
  { events, eventNames = [], places = new Map(), isHidden, ...own }: PlannedGroup,
): void {
  const ownIndex = isHidden ? undefined : steps.push(own) - 1
  for (const [index, event] of events.entries()) {
    const { within = [], kind } = event
    const parent = places.get(JSON.stringify(within)) ?? ownIndex
    if (kind === 'step') places.set(JSON.stringify([...within, event.name]), steps.length)
    steps.push({ parent, ...planEvent(event, eventNames[index] ?? '') })
  }
}

function planEvent(event: StepLikeEvent, name: string): PlannedStep {
  const { kind, passed, atMs: startedAtMs } = event
  if (event.kind === 'measurement') {
    const isPassed = passed || event.limits === 'record'
    return { name, kind, passed: isPassed, startedAtMs, durationMs: 0, errors: [], measurement: event }
  }
  const { durationMs, error, location, snippet, isDetail: detail } = event
  return {
    name,
    kind,
    passed,
    startedAtMs,
    durationMs,
    errors: error && !passed ? [error] : [],
    location,
    snippet,
    isDetail: detail,
  }
}
