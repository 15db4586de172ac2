import type { BuildState } from '@runledger/protocol'
import { US_PER_SECOND } from '../../../base/clock'
import { groupBy } from '../../../storage/database/rows'

/** One of several parts of an execution, counted from 1. */
export interface Shard {
  framework: string
  index: number
  total: number
}

/** An execution that said that it began. */
export interface Execution {
  framework: string | null
  shard: Shard | undefined
  host: string | null
  /** By the clock of its machine. */
  startedAtUs: number
  /** When the service received that it ended; null until then. */
  endedAtUs: number | null
  /** Runs of it that the service has not taken. */
  missingRuns: number
  job: string | null
  attempt: number
  environment: string | null
}

/** The recorded parts of a build. */
export interface BuildRecord {
  runs: number
  failedRuns: number
  /** The shards that runs name. */
  reportedShards: readonly Shard[]
  executions: readonly Execution[]
  /** When the service last received something of it. */
  lastReportedAtUs: number
}

/** The missing parts of a build. */
export interface Missing {
  shards: Shard[]
  /** Executions that have not ended. */
  unended: Execution[]
  /** Executions that have ended, but not all of their runs are on record. */
  undelivered: Execution[]
  hasNoRuns: boolean
}

/** After this time without news, a build is no longer expected to go on. */
export const PATIENCE_US = 3600 * US_PER_SECOND

interface Circumstances {
  nowUs: number
  /** Whether a later build of the branch has ended. */
  isOvertaken: boolean
}

/** The state of a build; the rule is told where protocol declares `BUILD_STATES`. */
export function deriveBuildState(
  { failedRuns, lastReportedAtUs }: Pick<BuildRecord, 'failedRuns' | 'lastReportedAtUs'>,
  missing: Missing,
  { nowUs, isOvertaken }: Circumstances,
): BuildState {
  if (isPending(missing))
    return isOvertaken || nowUs - lastReportedAtUs >= PATIENCE_US ? 'incomplete' : 'running'
  if (missing.undelivered.length > 0 || missing.hasNoRuns) return 'incomplete'
  return failedRuns > 0 ? 'failed' : 'passed'
}

/** Whether more may come of the build. */
export function isPending({ shards, unended }: Missing): boolean {
  return shards.length > 0 || unended.length > 0
}

export function findMissing({ runs, reportedShards, executions }: BuildRecord): Missing {
  const counted = dropRepeated(executions)
  const begun = executions.flatMap(({ shard }) => shard ?? [])
  return {
    shards: findMissingShards([...reportedShards, ...begun]),
    unended: counted.filter(({ endedAtUs }) => endedAtUs === null),
    undelivered: counted.filter(({ endedAtUs, missingRuns }) => endedAtUs !== null && missingRuns > 0),
    hasNoRuns: runs === 0,
  }
}

/** Leaves out executions that a later attempt at the same CI job replaced. */
function dropRepeated(executions: readonly Execution[]): Execution[] {
  const places = groupBy(executions, ({ framework, shard, job, environment }) =>
    JSON.stringify([framework, shard?.index, shard?.total, job, environment]),
  )
  return [...places.values()].flatMap((attempts) => {
    const last = Math.max(...attempts.map(({ attempt }) => attempt))
    return attempts.filter(({ attempt }) => attempt === last)
  })
}

/** Most shards that are expected in all: no build has more, and texts may claim any number. */
const MAX_SHARDS = 10_000

/** Expected shards beside those that have begun: `2/4` implies four. */
function findMissingShards(known: readonly Shard[]): Shard[] {
  const keys = new Set(known.map(keyOfShard))
  const sets = new Map(known.map((shard) => [`${shard.framework} ${shard.total}`, shard]))
  let expected = 0
  return [...sets.values()]
    .toSorted((one, other) => one.total - other.total)
    .filter(({ total }) => (expected += total) <= MAX_SHARDS)
    .flatMap(({ framework, total }) =>
      Array.from({ length: total }, (_, place) => ({ framework, index: place + 1, total })),
    )
    .filter((shard) => !keys.has(keyOfShard(shard)))
}

/** The identity of a shard in its build: each framework has shards of its own. */
export function keyOfShard({ framework, index, total }: Shard): string {
  return `${framework} ${index}/${total}`
}
