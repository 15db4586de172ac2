import { medianOf } from './expected-duration'

/** The start and the end of a file. All files have the same unit. */
export interface FileSpan {
  readonly start: number
  readonly end: number
}

/**
 * Computes the start-up of a file: the median of the pauses between a file and the next one of the same worker. Returns 0 if no
 * execution ran two files one after the other.
 */
export function learnStartUp(executions: readonly (readonly FileSpan[])[]): number {
  return medianOf(executions.flatMap(listPauses)) ?? 0
}

/** Assumes that the worker that has been idle longest takes the next file. */
function listPauses(spans: readonly FileSpan[]): number[] {
  const pauses: number[] = []
  const ends = spans.map(({ end }) => end).toSorted((one, other) => one - other)
  const starts = spans.map(({ start }) => start).toSorted((one, other) => one - other)
  let taken = 0
  for (const start of starts) {
    const end = ends[taken]
    if (end === undefined || end > start) continue
    pauses.push(start - end)
    taken += 1
  }
  return pauses
}
