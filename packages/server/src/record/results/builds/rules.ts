import type { BuildState } from '@runledger/protocol'
import { US_PER_SECOND } from '../../../base/clock'
import { groupBy } from '../../../storage/database/rows'

/** Counted from 1. */
export interface Shard {
  framework: string
  index: number
  total: number
}

export interface Execution {
  framework: string | null
  shard: Shard | undefined
  host: string | null
  /** By the clock of its machine. */
  startedAtUs: number
  /** When the service learned of the end; null until then. */
  endedAtUs: number | null
  /** Runs that the service has not taken. */
  missingRuns: number
  job: string | null
  attempt: number
  environment: string | null
}

export interface BuildRecord {
  runs: number
  failedRuns: number
  reportedShards: readonly Shard[]
  executions: readonly Execution[]
  /** When the service last received something of the build. */
  lastReportedAtUs: number
}

export interface Missing {
  shards: Shard[]
  unended: Execution[]
  /** They have ended, but not all of their runs are on record. */
  undelivered: Execution[]
  hasNoRuns: boolean
}

/** After this time without news, nothing more is expected. */
export const PATIENCE_US = 3600 * US_PER_SECOND

interface Circumstances {
  nowUs: number
  isOvertaken: boolean
}

/** Protocol declares the rule at `BUILD_STATES`. */
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

/** A later attempt at the same CI job replaces an execution. */
function dropRepeated(executions: readonly Execution[]): Execution[] {
  const places = groupBy(executions, ({ framework, shard, job, environment }) =>
    JSON.stringify([framework, shard?.index, shard?.total, job, environment]),
  )
  return [...places.values()].flatMap((attempts) => {
    const last = Math.max(...attempts.map(({ attempt }) => attempt))
    return attempts.filter(({ attempt }) => attempt === last)
  })
}

/** No build has more, and texts may claim any number. */
const MAX_SHARDS = 10_000

/** `2/4` implies four shards. */
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

/** Each framework has shards of its own. */
export function keyOfShard({ framework, index, total }: Shard): string {
  return `${framework} ${index}/${total}`
}
