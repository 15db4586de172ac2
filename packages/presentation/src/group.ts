import {
  parseDurationUs,
  parseTimestampUs,
  readTestCounts,
  RUN_OUTCOMES,
  type RunListItem,
  type RunOutcome,
  sumTestCounts,
  type TestCounts,
} from '@runledger/protocol'

/** The test file if there is one, since all runs of an execution may share a procedure. */
export function nameRun(run: Pick<RunListItem, 'metadata' | 'procedure'>): string {
  const file = run.metadata?.['file']
  return file === undefined || file === '' ? run.procedure.name : String(file)
}

export interface GroupSum {
  runs: number
  /** Outcomes that occur, in the contract's order. */
  outcomes: { outcome: RunOutcome; count: number }[]
  /** From report variables; absent if no run has them. */
  tests: TestCounts | undefined
  frameworks: string[]
  /** Runs that did not pass, in order of their starts. */
  failed: RunListItem[]
  /** The shards that runs name. For missing shards see the build (`BUILD_STATES`). */
  shards: ShardSum[]
  /** Runs with tests that passed only on a retry. */
  flaky: RunListItem[]
  /** The longest runs, if there are more than these. */
  slowest: RunListItem[]
  startedAt: string
  /** From the first start to the last end, in microseconds. */
  spanUs: number
}

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
    flaky: runs.filter(({ metadata }) => (readTestCounts(metadata)?.flaky ?? 0) > 0).sort(byStart),
    shards: sumUpShards(runs),
    slowest: runs.length > SHOWN_SLOWEST ? [...runs].sort(byDuration).slice(0, SHOWN_SLOWEST) : [],
  }
}

const SHOWN_SLOWEST = 3

export interface ShardSum {
  /** As sent, `2/4`; with the framework if there are several. */
  name: string
  failed: number
  spanUs: number
}

function sumUpShards(runs: RunListItem[]): ShardSum[] {
  const sharded = runs.filter((run) => nameShard(run) !== '')
  const frameworks = new Set(sharded.map(({ metadata }) => metadata?.['framework']))
  const shards = new Map<string, RunListItem[]>()
  for (const run of sharded) {
    const names = [frameworks.size > 1 ? run.metadata?.['framework'] : undefined, nameShard(run)]
    const name = names.filter((part) => part !== undefined).join(' ')
    const own = shards.get(name)
    if (own) own.push(run)
    else shards.set(name, [run])
  }
  return [...shards]
    .map(([name, own]) => ({
      name,
      failed: own.filter(({ outcome }) => outcome !== 'PASS').length,
      spanUs: measureSpan(own).spanUs,
    }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
}

function nameShard({ metadata = {} }: RunListItem): string {
  const { shard, shard_index: index, shard_total: total } = metadata
  if (index !== undefined && total !== undefined) return `${index}/${total}`
  return shard === undefined ? '' : String(shard)
}

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
  const counts = runs.flatMap(({ metadata }) => readTestCounts(metadata) ?? [])
  return counts.length === 0 ? undefined : sumTestCounts(counts)
}

function listFrameworks(runs: RunListItem[]): string[] {
  const names = runs.map(({ metadata }) =>
    [metadata?.['framework'], metadata?.['framework_version']].filter((part) => part !== undefined).join(' '),
  )
  return [...new Set(names)].filter((name) => name !== '').sort()
}
