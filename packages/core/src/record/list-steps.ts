import { cutWell } from '@runledger/protocol'
import type { SuiteTest, Suite, Problem } from '../model/suite'
import type { Said, SaidMeasurement, SaidStep } from '../test-side/said'
import type { RunSource } from './run-source'
import { lastSaid, nameSaid } from './said'
import { cleanName, formatStepName, MAX_STEP_NAME_LENGTH, UniqueNames } from './step-name'
import { Surveys, type Survey } from './survey'

/** A step of a run before it becomes a record: a test that ran, what it said, or an error that belongs to no test. */
export interface PlannedStep {
  name: string
  passed: boolean
  startedAtMs: number
  durationMs: number
  suite: Suite
  test?: SuiteTest
  measurement?: SaidMeasurement
}

type SaidAsStep = SaidMeasurement | SaidStep

/** A step with those that follow it because they were said in it. */
interface PlannedGroup extends PlannedStep {
  said?: SaidAsStep[] | undefined
  /** No step of its own: what was said outside of tests, or in one that came to no verdict. */
  isHidden?: boolean
}

/**
 * The steps of a run: one for each test that ran, in the order of execution, each followed by the measurements and steps
 * that its last attempt said; then one failing step for each error that the framework attributes to no test. A failed
 * suite has at least one failing step.
 */
export function listSteps(source: RunSource, surveys = new Surveys()): PlannedStep[] {
  const names = new UniqueNames()
  const steps: PlannedStep[] = []
  const isOneSuite = source.suites.length === 1 && !source.namesFiles
  for (const suite of source.suites) {
    const prefix: Prefix = source.namesFiles ? [suite.file] : undefined
    const survey = surveys.of(suite)
    const tests = planTests(suite, survey, prefix)
    const said = planSuiteSaid(suite, tests, prefix)
    const problems = listProblems(suite)
    const groups = sortByStart(said.length === 0 ? tests : [...said, ...tests])
    if (isOneSuite && said.length + problems.length === 0 && areNamesFinal(survey)) return groups
    for (const problem of problems) groups.push(planProblemStep(suite, problem, prefix))
    for (let index = 0; index < groups.length; index += 1)
      addGroup(steps, groups[index] as PlannedGroup, names)
  }
  return steps
}

/** What the names of a suite's steps begin with: its file, where several suites share a run. */
type Prefix = readonly [string] | undefined

type ToldProblem = Pick<Problem, 'name' | 'atMs'>

const STEP_KINDS = ['measurement', 'step'] as const

/** In the suite's own order. */
function planTests(suite: Suite, { names, special }: Survey, prefix: Prefix): PlannedGroup[] {
  const groups: PlannedGroup[] = []
  let specialIndex = 0
  suite.tests.forEach((test, index) => {
    const { titles, outcome, startedAtMs, durationMs } = test
    const isSpecial = test === special[specialIndex]
    if (isSpecial) specialIndex += 1
    const said = isSpecial ? inOrder(lastSaid(test, STEP_KINDS)) : undefined
    const passed = outcome === 'passed'
    const isHidden = !passed && outcome !== 'failed'
    if (isHidden && said === undefined) return
    const name = prefix === undefined ? (names[index] as string) : formatStepName([...prefix, ...titles])
    groups.push({ name, passed, startedAtMs, durationMs, suite, test, said, isHidden })
  })
  return groups
}

/** No two tests have the same name, and none has said a step of its own: as in most suites. */
function areNamesFinal({ names, special }: Survey): boolean {
  return special.every((test) => !lastSaid(test, STEP_KINDS)) && new Set(names).size === names.length
}

/** Mostly they are in that order already. */
function sortByStart(groups: PlannedGroup[]): PlannedGroup[] {
  let isSorted = true
  for (let index = 1; isSorted && index < groups.length; index += 1) {
    const [one, next] = [groups[index - 1] as PlannedGroup, groups[index] as PlannedGroup]
    isSorted = one.startedAtMs <= next.startedAtMs
  }
  return isSorted ? groups : groups.sort((a, b) => a.startedAtMs - b.startedAtMs)
}

// Frameworks tell the start of a test in whole milliseconds, on a clock that is not quite ours.
const CLOCK_TOLERANCE_MS = 2

/** What was said outside of tests stands where it falls in time: ahead of a test that spoke after it, also by a hair. */
function planSuiteSaid(suite: Suite, tests: readonly PlannedGroup[], prefix: Prefix): PlannedGroup[] {
  const said =
    inOrder(suite.said?.filter((each) => each.kind === 'measurement' || each.kind === 'step')) ?? []
  return said.map((each) => {
    const next = tests.find((test) => {
      const aheadMs = each.atMs - test.startedAtMs
      return aheadMs >= 0 && aheadMs <= CLOCK_TOLERANCE_MS && (test.said?.[0]?.order ?? -1) > each.order
    })
    const startedAtMs = next?.startedAtMs ?? each.atMs
    const name = prefix === undefined ? '' : formatStepName(prefix)
    return { name, passed: true, startedAtMs, durationMs: 0, suite, said: [each], isHidden: true }
  })
}

/** A step is said when it is over, and its place is where it began. */
function inOrder<Each extends Said>(said: Each[] | undefined): Each[] | undefined {
  return said?.sort((a, b) => a.order - b.order)
}

function planProblemStep(
  suite: Suite,
  { name, atMs = suite.startedAtMs }: ToldProblem,
  prefix: Prefix,
): PlannedGroup {
  const full = formatStepName([...(prefix ?? []), cleanName(name)])
  return { name: full, passed: false, startedAtMs: atMs, durationMs: 0, suite }
}

function addGroup(steps: PlannedStep[], group: PlannedGroup, names: UniqueNames): void {
  if (!group.isHidden) {
    group.name = names.take(group.name)
    steps.push(group)
  }
  if (group.said === undefined) return
  for (const each of group.said) {
    const name = names.take(joinNames(group.name, nameSaid(each)))
    const { passed, atMs: startedAtMs } = each
    const step = { name, passed, startedAtMs, suite: group.suite }
    if (each.kind === 'step') steps.push({ ...step, durationMs: each.durationMs })
    else steps.push({ ...step, durationMs: 0, measurement: each })
  }
}

const SEPARATOR = ' › '

/** The test's name is what is cut where both are too long: what was measured tells steps apart. */
function joinNames(parent: string, name: string): string {
  if (parent === '') return name
  const whole = parent + SEPARATOR + name
  if (whole.length <= MAX_STEP_NAME_LENGTH) return whole
  const left = Math.max(0, MAX_STEP_NAME_LENGTH - SEPARATOR.length - name.length - 1)
  return left === 0 ? name : `${cutWell(parent, left)}…${SEPARATOR}${name}`
}

function listProblems(suite: Suite): ToldProblem[] {
  if (suite.outcome === 'passed') return suite.problems
  const isExplained = suite.problems.length > 0 || suite.tests.some((test) => test.outcome === 'failed')
  return isExplained ? suite.problems : [UNEXPLAINED]
}

// The framework failed the suite without an error that it told reporters.
const UNEXPLAINED: ToldProblem = { name: 'Suite failed' }
