import type { StepKind } from '@runledger/protocol'
import type { ErrorDetail, SourceLocation } from '../model/error-detail'
import { hasRun, type Problem, type Suite, type SuiteTest } from '../model/suite'
import type { MeasurementEvent, TestApiEvent } from '../model/test-api-event'
import type { RunSource } from './run-source'
import { filterKinds, lastAttemptEvents } from './map-test-api-events'
import { isDetail, nameSteps, type NamedGroup, type NamedSuite, type StepLikeEvent } from './name-steps'
import { formatStepName } from './step-name'
import { listProblems } from './suite-counts'

/** A step of a run before it becomes a record: a test that ran, a measurement or step inside it, or an error that belongs to no test. */
export interface PlannedStep {
  name: string
  passed: boolean
  startedAtMs: number
  durationMs: number
  kind: StepKind
  /** Why it failed. */
  errors: readonly ErrorDetail[]
  location?: SourceLocation | undefined
  snippet?: string | undefined
  isDetail?: true | undefined
  /** Index of the step that it belongs to. */
  parent?: number | undefined
  test?: SuiteTest
  measurement?: MeasurementEvent
}

/** A step with its measurements and inner steps, which follow it. */
interface PlannedGroup extends PlannedStep, NamedGroup {
  /** Indexes of the steps outside of tests, by their names from the outermost on; a test has its own. */
  places?: Map<string, number>
  /** Only its events become steps: they are outside of tests, or in a test without a verdict. */
  isHidden?: boolean
}

/** The steps and skipped tests of a run, with names that are unique in it. */
export interface ListedSteps {
  /**
   * One for each test that ran, in the order of execution, each followed by the measurements and steps of its last
   * attempt; then one failing step for each error that the framework attributes to no test. A failed suite has at least
   * one failing step.
   */
  steps: PlannedStep[]
  /** Tests that did not run, named as their steps would be. */
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

/** In the order of the run's steps. */
function listGroups({ tests, events, problems }: PlannedSuite): PlannedGroup[] {
  const timed = [...events, ...tests].sort((a, b) => a.startedAtMs - b.startedAtMs)
  return [...timed, ...problems]
}

function listSkipped({ tests }: PlannedSuite): ListedSteps['skipped'] {
  return tests.flatMap(({ name, test }) => (test && !hasRun(test.outcome) ? [{ name, test }] : []))
}

/** Most details of a run: an attempt that would exceed it has none. */
const MAX_DETAILS = 3_000

/** Those of last attempts come first, then those of the attempts before them, the latest first. */
function limitDetails(groups: readonly PlannedGroup[]): void {
  let left = MAX_DETAILS
  for (const group of groups) left -= keepAttempt(group, undefined, left)
  for (const group of groups) {
    const earlier = new Set(group.events.flatMap((event) => (isDetail(event) && event.attempt) || []))
    for (const attempt of [...earlier].toSorted((a, b) => b - a)) left -= keepAttempt(group, attempt, left)
  }
}

/** Drops the details of an attempt where they are more than are left; returns how many are kept. */
function keepAttempt(group: PlannedGroup, attempt: number | undefined, left: number): number {
  const isOfAttempt = (event: StepLikeEvent): boolean => isDetail(event) && event.attempt === attempt
  const count = group.events.filter(isOfAttempt).length
  if (count <= left) return count
  group.events = group.events.filter((event) => !isOfAttempt(event))
  return 0
}

/** What the names of a suite's steps begin with: its file, where several suites share a run. */
type Prefix = readonly string[]

function listPrefix({ namesFiles }: RunSource, { file }: Suite): Prefix {
  return namesFiles ? [file] : []
}

const STEP_KINDS = ['measurement', 'step'] as const

/** In the suite's own order. */
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
      // An expected failure has errors too.
      errors: passed ? [] : (attempts.at(-1)?.errors ?? []),
      location,
      test,
      events: inOrder(lastAttemptEvents(test, STEP_KINDS)),
      isHidden: !hasRun(outcome),
    }
  })
}

// Frameworks tell the start of a test in whole milliseconds, on a clock that is not quite ours.
const CLOCK_TOLERANCE_MS = 2

/** Events outside of tests stand where they fall in time, also ahead of a test that began within the clocks' tolerance before. */
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

/** A step is recorded when it ends; it stands where it began. */
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
