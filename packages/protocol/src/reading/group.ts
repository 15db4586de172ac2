import { parseDurationUs } from '../duration'
import { RUN_OUTCOMES, type RunOutcome } from '../resources/outcomes'
import type { RunListItem } from '../resources/run'
import { parseTimestampUs } from '../time'

/** What tells a run from the others of its list: the test file where it has one, since all of an execution are of one procedure. */
export function nameRun(run: Pick<RunListItem, 'metadata' | 'procedure'>): string {
  const file = run.metadata?.['file']
  return file === undefined || file === '' ? run.procedure.name : String(file)
}

export interface TestCounts {
  passed: number
  failed: number
  skipped: number
  flaky: number
}

/** What the runs of a group come to. */
export interface GroupSum {
  runs: number
  /** Those that occur, in the contract's order. */
  outcomes: { outcome: RunOutcome; count: number }[]
  /** From the runs' report variables; absent when no run has any of them. */
  tests: TestCounts | undefined
  frameworks: string[]
  /** Runs that did not pass, the first to start first. */
  failed: RunListItem[]
  /** Runs with tests that passed only when they were tried again. */
  flaky: RunListItem[]
  /** The runs that took longest, where there are more than these. */
  slowest: RunListItem[]
  /** Start of the run that started first. */
  startedAt: string
  /** From the first start to the last end, in microseconds. */
  spanUs: number
}

/** Sums up the runs of a group; there must be at least one. */
export function sumUpGroup(runs: RunListItem[]): GroupSum {
  const starts = runs.map(({ started_at: at }) => ({ at, us: parseTimestampUs(at) ?? Infinity }))
  const first = starts.reduce((a, b) => (b.us < a.us ? b : a))
  const lastEndUs = Math.max(...runs.map(({ ended_at: at }) => parseTimestampUs(at) ?? -Infinity))
  return {
    runs: runs.length,
    outcomes: RUN_OUTCOMES.map((outcome) => ({ outcome, count: countOutcome(runs, outcome) })).filter(
      ({ count }) => count > 0,
    ),
    tests: sumUpTests(runs),
    frameworks: listFrameworks(runs),
    failed: runs.filter(({ outcome }) => outcome !== 'PASS').sort(byStart),
    flaky: runs.filter(({ metadata }) => Number(metadata?.['tests_flaky'] ?? 0) > 0).sort(byStart),
    slowest: runs.length > SHOWN_SLOWEST ? [...runs].sort(byDuration).slice(0, SHOWN_SLOWEST) : [],
    startedAt: first.at,
    spanUs: Math.max(lastEndUs - first.us, 0),
  }
}

const SHOWN_SLOWEST = 3

function byStart(a: RunListItem, b: RunListItem): number {
  return (parseTimestampUs(a.started_at) ?? 0) - (parseTimestampUs(b.started_at) ?? 0)
}

function byDuration(a: RunListItem, b: RunListItem): number {
  return (parseDurationUs(b.duration) ?? 0) - (parseDurationUs(a.duration) ?? 0)
}

function countOutcome(runs: RunListItem[], outcome: RunOutcome): number {
  return runs.filter((run) => run.outcome === outcome).length
}

function sumUpTests(runs: RunListItem[]): TestCounts | undefined {
  if (!runs.some(({ metadata }) => metadata?.['tests_passed'] !== undefined)) return undefined
  const sumOf = (variable: string) =>
    runs.reduce((sum, { metadata }) => sum + (Number(metadata?.[variable] ?? 0) || 0), 0)
  return {
    passed: sumOf('tests_passed'),
    failed: sumOf('tests_failed'),
    skipped: sumOf('tests_skipped'),
    flaky: sumOf('tests_flaky'),
  }
}

function listFrameworks(runs: RunListItem[]): string[] {
  const names = runs.map(({ metadata }) =>
    [metadata?.['framework'], metadata?.['framework_version']].filter((part) => part !== undefined).join(' '),
  )
  return [...new Set(names)].filter((name) => name !== '').sort()
}
