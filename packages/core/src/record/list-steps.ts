import { cutWell } from '@runledger/protocol'
import { hasRun, type Problem, type Suite, type SuiteTest } from '../model/suite'
import type { MeasurementEvent, StepEvent, TestApiEvent } from '../model/test-api-event'
import type { RunSource } from './run-source'
import { formatStepName, MAX_STEP_NAME_LENGTH, STEP_NAME_SEPARATOR, UniqueNames } from './step-name'
import { filterKinds, formatEventName, lastAttemptEvents } from './map-test-api-events'

/** A step of a run before it becomes a record: a test that ran, a measurement or step inside it, or an error that belongs to no test. */
export interface PlannedStep {
  name: string
  passed: boolean
  startedAtMs: number
  durationMs: number
  suite: Suite
  test?: SuiteTest
  measurement?: MeasurementEvent
}

type StepLikeEvent = MeasurementEvent | StepEvent

/** A step with its measurements and inner steps, which follow it. */
interface PlannedGroup extends PlannedStep {
  events: StepLikeEvent[]
  /** Only its events become steps: they are outside of tests, or in a test without a verdict. */
  isHidden?: boolean
}

/**
 * The steps of a run: one for each test that ran, in the order of execution, each followed by the measurements and steps
 * of its last attempt; then one failing step for each error that the framework attributes to no test. A failed
 * suite has at least one failing step.
 */
export function listSteps(source: RunSource): PlannedStep[] {
  const names = new UniqueNames()
  return source.suites.flatMap((suite) => {
    const prefix = source.namesFiles ? [suite.file] : []
    const tests = planTests(suite, prefix)
    const groups = [...planSuiteEvents(suite, tests, prefix), ...tests]
    groups.sort((a, b) => a.startedAtMs - b.startedAtMs)
    const problems = listProblems(suite).map((problem) => planProblem(suite, problem, prefix))
    return [...groups, ...problems].flatMap((group) => nameGroup(group, names))
  })
}

/** What the names of a suite's steps begin with: its file, where several suites share a run. */
type Prefix = readonly string[]

const STEP_KINDS = ['measurement', 'step'] as const

/** In the suite's own order. */
function planTests(suite: Suite, prefix: Prefix): PlannedGroup[] {
  return suite.tests.map((test): PlannedGroup => {
    const { titles, outcome, startedAtMs, durationMs } = test
    const events = inOrder(lastAttemptEvents(test, STEP_KINDS))
    const isHidden = !hasRun(outcome)
    const name = formatStepName([...prefix, ...titles])
    const passed = outcome === 'passed'
    return { name, passed, startedAtMs, durationMs, suite, test, events, isHidden }
  })
}

// Frameworks tell the start of a test in whole milliseconds, on a clock that is not quite ours.
const CLOCK_TOLERANCE_MS = 2

/** Events outside of tests stand where they fall in time, also ahead of a test that began within the clocks' tolerance before. */
function planSuiteEvents(suite: Suite, tests: readonly PlannedGroup[], prefix: Prefix): PlannedGroup[] {
  return inOrder(filterKinds(suite.events, STEP_KINDS)).map((event) => {
    const next = tests.find((test) => {
      const aheadMs = event.atMs - test.startedAtMs
      return aheadMs >= 0 && aheadMs <= CLOCK_TOLERANCE_MS && (test.events[0]?.order ?? -1) > event.order
    })
    const startedAtMs = next?.startedAtMs ?? event.atMs
    const name = prefix.length === 0 ? '' : formatStepName(prefix)
    return { name, passed: event.passed, startedAtMs, durationMs: 0, suite, events: [event], isHidden: true }
  })
}

/** A step is recorded when it ends; it stands where it began. */
function inOrder<Event extends TestApiEvent>(events: Event[]): Event[] {
  return events.toSorted((a, b) => a.order - b.order)
}

type NamedProblem = Pick<Problem, 'name' | 'atMs'>

function planProblem(
  suite: Suite,
  { name, atMs = suite.startedAtMs }: NamedProblem,
  prefix: Prefix,
): PlannedGroup {
  const stepName = formatStepName([...prefix, name])
  return { name: stepName, passed: false, startedAtMs: atMs, durationMs: 0, suite, events: [] }
}

function nameGroup({ events, isHidden, ...step }: PlannedGroup, names: UniqueNames): PlannedStep[] {
  const own = isHidden ? [] : [{ ...step, name: names.take(step.name) }]
  const inner = events.map((event): PlannedStep => {
    const name = names.take(joinNames(own[0]?.name ?? step.name, formatEventName(event)))
    const { passed, atMs: startedAtMs } = event
    const planned = { name, passed, startedAtMs, suite: step.suite }
    if (event.kind === 'step') return { ...planned, durationMs: event.durationMs }
    return { ...planned, durationMs: 0, measurement: event }
  })
  return [...own, ...inner]
}

/** Where both are too long the parent's name is cut: the event's name is what tells steps apart. */
function joinNames(parent: string, name: string): string {
  if (parent === '') return name
  const whole = parent + STEP_NAME_SEPARATOR + name
  if (whole.length <= MAX_STEP_NAME_LENGTH) return whole
  const left = Math.max(0, MAX_STEP_NAME_LENGTH - STEP_NAME_SEPARATOR.length - name.length - 1)
  return left === 0 ? name : `${cutWell(parent, left)}…${STEP_NAME_SEPARATOR}${name}`
}

function listProblems(suite: Suite): NamedProblem[] {
  if (suite.outcome === 'passed') return suite.problems
  const isExplained = suite.problems.length > 0 || suite.tests.some((test) => test.outcome === 'failed')
  return isExplained ? suite.problems : [UNEXPLAINED]
}

// The framework failed the suite and told reporters no error.
const UNEXPLAINED: NamedProblem = { name: 'Suite failed' }
