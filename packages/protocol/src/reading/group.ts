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
  /** The parts that the execution was split into; none where runs name no shard. */
  shards: ShardSum[]
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
  return {
    ...measureSpan(runs),
    runs: runs.length,
    outcomes: RUN_OUTCOMES.map((outcome) => ({ outcome, count: countOutcome(runs, outcome) })).filter(
      ({ count }) => count > 0,
    ),
    tests: sumUpTests(runs),
    frameworks: listFrameworks(runs),
    failed: runs.filter(({ outcome }) => outcome !== 'PASS').sort(byStart),
    flaky: runs.filter(({ metadata }) => Number(metadata?.['tests_flaky'] ?? 0) > 0).sort(byStart),
    shards: sumUpShards(runs),
    slowest: runs.length > SHOWN_SLOWEST ? [...runs].sort(byDuration).slice(0, SHOWN_SLOWEST) : [],
  }
}

const SHOWN_SLOWEST = 3

/** One part of an execution that was split into several. */
export interface ShardSum {
  /** As it was sent, `2/4`. */
  name: string
  /** 0 for one of which nothing has come. */
  runs: number
  failed: number
  spanUs: number
}

/** The shards that runs name, and those that must be there besides: of `2/4` there are four. */
function sumUpShards(runs: RunListItem[]): ShardSum[] {
  const named = runs.map(nameShard).filter((name) => name !== '')
  const total = Math.max(...named.map((name) => Number(/^\d+\/(\d+)$/.exec(name)?.[1] ?? 0)), 0)
  const expected =
    total > MAX_SHARDS ? [] : Array.from({ length: total }, (_, index) => `${index + 1}/${total}`)
  return [...new Set([...expected, ...named])].map((name) => {
    const own = runs.filter((run) => nameShard(run) === name)
    return {
      name,
      runs: own.length,
      failed: own.filter(({ outcome }) => outcome !== 'PASS').length,
      spanUs: own.length === 0 ? 0 : measureSpan(own).spanUs,
    }
  })
}

const MAX_SHARDS = 100

function nameShard({ metadata = {} }: RunListItem): string {
  const { shard, shard_index: index, shard_total: total } = metadata
  if (index !== undefined && total !== undefined) return `${index}/${total}`
  return shard === undefined ? '' : String(shard)
}

/** From the first start to the last end. */
function measureSpan(runs: RunListItem[]): Pick<GroupSum, 'startedAt' | 'spanUs'> {
  const starts = runs.map(({ started_at: at }) => ({ at, us: parseTimestampUs(at) ?? Infinity }))
  const first = starts.reduce((a, b) => (b.us < a.us ? b : a))
  const lastEndUs = runs.reduce(
    (last, { ended_at: at }) => Math.max(last, parseTimestampUs(at) ?? -Infinity),
    -Infinity,
  )
  return { startedAt: first.at, spanUs: Math.max(lastEndUs - first.us, 0) }
}

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
