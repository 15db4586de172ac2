import { findBorderDistribution, findChangePoints } from './change-points'
import { countRange, sumHistory, type History, type HistoryCounts, type HistoryResult } from './history'
import { wilsonInterval, type Rate } from './intervals'

/** A stretch of a test's history with one failure rate. */
export interface Segment {
  /** Index of its first result. */
  readonly from: number
  /** Index after its last result. */
  readonly to: number
  readonly firstPosition: number
  readonly lastPosition: number
  readonly counts: HistoryCounts
  /** Failures of first attempts. */
  readonly failureRate: Rate
  /** 99 % interval of the segment's start; undefined for the first segment. */
  readonly border: Border | undefined
}

/** The change came with a commit after position `after`, up to and including `upTo`. */
export interface Border {
  readonly after: number
  readonly upTo: number
}

export interface SegmentSettings {
  /** Probability of a change at a position, before any result is known. */
  readonly changeLikelihood?: number
  /** Whether each number between two positions is a commit, with results or without. */
  readonly consecutive?: boolean
}

const CHANGE_LIKELIHOOD = 1e-4
/** Each tail of a 99 % interval. */
const TAIL = 0.005

/**
 * Segments of a test's history, oldest first. `results` are sorted by position. The caller leaves out infrastructure builds.
 * Source: luci/luci-go, `analysis/internal/changepoints`, with its probability of a change.
 */
export function findSegments(results: readonly HistoryResult[], settings: SegmentSettings = {}): Segment[] {
  if (results.length === 0) return []
  const { changeLikelihood = CHANGE_LIKELIHOOD, consecutive = true } = settings
  const history = sumHistory(results)
  const starts = [0, ...findChangePoints(history, changeLikelihood)]
  const ends = [...starts.slice(1), history.positions.length]
  return starts.map((from, i) => {
    const to = ends[i] ?? from
    const border = i === 0 ? undefined : findBorder(history, { from: starts[i - 1] ?? 0, to, consecutive })
    return describeSegment(history, { from, to }, border)
  })
}

/** The border between two segments, from the results of both. */
function findBorder(history: History, both: { from: number; to: number; consecutive: boolean }): Border {
  const distribution = findBorderDistribution(history, both, both.consecutive)
  return { after: distribution.quantile(TAIL), upTo: distribution.quantile(1 - TAIL) }
}

function describeSegment(
  history: History,
  { from, to }: { from: number; to: number },
  border: Border | undefined,
): Segment {
  const counts = countRange(history, from, to)
  return {
    from: history.firstIndexes[from] ?? 0,
    to: history.firstIndexes[to] ?? 0,
    firstPosition: history.positions[from] ?? 0,
    lastPosition: history.positions[to - 1] ?? 0,
    counts,
    failureRate: wilsonInterval(counts.failed, counts.results),
    border,
  }
}
