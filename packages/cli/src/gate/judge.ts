import type { Build, ComparedTest } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import type { Doubt, DoubtName } from './doubt'
import type { Failure, FailureKind, FoundFailures } from './read-failures'

export const CRITERIA = ['new', 'any', 'slower', 'incomplete'] as const
export type Criterion = (typeof CRITERIA)[number]

export interface Rules {
  failOn: ReadonlySet<Criterion>
  allowed: ReadonlySet<DoubtName>
}

/** The facts on record that decide the gate. */
export interface Account {
  build?: Build | undefined
  found?: FoundFailures | undefined
  slower?: { total: number; tests: ComparedTest[]; note: string | undefined } | undefined
  doubts: Doubt[]
}

export interface Result {
  passed: boolean
  /** Why the gate failed, apart from unknown facts: `1 new failure`. */
  reasons: string[]
  build: Build | null
  failures: Failure[]
  more_failures: number
  replaced_runs: number
  slower: ComparedTest[]
  slower_total: number
  /** The tests whose durations were not compared. */
  slower_note: string | null
  unknown: (Omit<Doubt, 'mayPass'> & { allowed: boolean })[]
  advice: string | null
}

export function judge({ build, found, slower, doubts }: Account, { failOn, allowed }: Rules): Result {
  const { failures = [], more = 0, replaced = 0, advice } = found ?? {}
  const reasons = [
    ...nameReason(failOn.has('any') ? failures.length + more : 0, 'failure'),
    ...nameReason(failOn.has('new') ? countKind(failures, 'new') : 0, 'new failure'),
    ...nameReason(failOn.has('slower') ? (slower?.total ?? 0) : 0, 'slower test'),
  ]
  const unsorted = failOn.has('new') && !failOn.has('any') && found ? doubtFailures(found) : []
  const unknown = [...doubts, ...unsorted].map(({ name, message }) => ({
    name,
    message,
    allowed: allowed.has(name),
  }))
  return {
    passed: reasons.length === 0 && unknown.every((doubt) => doubt.allowed),
    reasons,
    build: build ?? null,
    failures,
    more_failures: more,
    replaced_runs: replaced,
    slower: slower?.tests ?? [],
    slower_total: slower?.total ?? 0,
    slower_note: slower?.note ?? null,
    unknown,
    advice: advice ?? null,
  }
}

function nameReason(count: number, noun: string): string[] {
  return count > 0 ? [formatCount(count, noun)] : []
}

/** Counts failures of a kind, with those that are not listed because they were not compared. */
export function countOf({ failures, more_failures: more }: Result, kind: FailureKind): number {
  return countKind(failures, kind) + (kind === 'not_compared' ? more : 0)
}

function countKind(failures: readonly Failure[], kind: FailureKind): number {
  return failures.filter((failure) => failure.kind === kind).length
}

function doubtFailures({ failures, more }: FoundFailures): Doubt[] {
  const flaky = countKind(failures, 'flaky')
  const baseless = countKind(failures, 'no_basis')
  const runs = countKind(failures, 'not_compared')
  const uncompared = [
    ...(runs > 0 ? [`${formatCount(runs, 'failed run')} ${MAY_HIDE}`] : []),
    ...(more > 0 ? [`${formatCount(more, 'more failure')} ${more === 1 ? 'was' : 'were'} not compared`] : []),
  ]
  const found: (Doubt | false)[] = [
    flaky > 0 && {
      name: 'flaky',
      message: `${formatCount(flaky, 'failure')} of flaky tests, which are not flaky on the merge base or the default branch: this change may be the cause`,
    },
    baseless > 0 && {
      name: 'no-basis',
      message: `${formatCount(baseless, 'failure')} cannot be classified as new or known: neither the merge base nor the default branch shows which`,
    },
    uncompared.length > 0 && { name: 'not-compared', message: uncompared.join(', and ') },
  ]
  return found.filter((doubt) => doubt !== false)
}

const MAY_HIDE =
  'may hide other failures: it was cut short, failed outside of its tests, or was not compared with earlier runs'
