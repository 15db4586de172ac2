import { type Build, type ComparedTest, describeBuild } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import type { Failure, FoundFailures } from './read-failures'

export const CRITERIA = ['new', 'any', 'slower', 'incomplete'] as const
export type Criterion = (typeof CRITERIA)[number]

/** Facts that the gate could not find out. Each one fails the gate unless `--allow` names it. */
export const DOUBTS = ['incomplete', 'no-basis', 'no-build', 'no-key', 'no-service', 'not-compared'] as const
export type DoubtName = (typeof DOUBTS)[number]

export interface Doubt {
  name: DoubtName
  message: string
}

export interface Rules {
  failOn: ReadonlySet<Criterion>
  allowed: ReadonlySet<DoubtName>
}

/** What the service has on record. */
export interface Account {
  build?: Build | undefined
  found?: FoundFailures | undefined
  slower?: { total: number; tests: ComparedTest[] } | undefined
  doubts: Doubt[]
}

export interface Result {
  passed: boolean
  build: Build | null
  failures: Failure[]
  more_failures: number
  replaced_runs: number
  slower: ComparedTest[]
  slower_total: number
  unknown: (Doubt & { allowed: boolean })[]
  advice: string | null
}

export function judge({ build, found, slower, doubts }: Account, { failOn, allowed }: Rules): Result {
  const { failures = [], more = 0, replaced = 0, advice } = found ?? {}
  const hasFailed =
    (failOn.has('any') && failures.length + more > 0) ||
    (failOn.has('new') && failures.some(({ kind }) => kind === 'new'))
  const hasSlowed = failOn.has('slower') && (slower?.total ?? 0) > 0
  const unsorted = failOn.has('new') && !failOn.has('any') && found ? doubtFailures(found) : []
  const unknown = [...doubts, ...unsorted].map((doubt) => ({ ...doubt, allowed: allowed.has(doubt.name) }))
  return {
    passed: !hasFailed && !hasSlowed && unknown.every((doubt) => doubt.allowed),
    build: build ?? null,
    failures,
    more_failures: more,
    replaced_runs: replaced,
    slower: slower?.tests ?? [],
    slower_total: slower?.total ?? 0,
    unknown,
    advice: advice ?? null,
  }
}

/** A state that this version does not know counts as incomplete. */
export function doubtBuild(build: Build): Doubt[] {
  if (build.state === 'passed' || build.state === 'failed') return []
  return [{ name: 'incomplete', message: `the build is ${describeBuild(build)}` }]
}

function doubtFailures({ failures, more }: FoundFailures): Doubt[] {
  const baseless = failures.filter(({ kind }) => kind === 'no_basis').length
  const runs = failures.filter(({ kind }) => kind === 'not_compared').length
  const uncompared = [
    ...(runs > 0 ? [formatCount(runs, 'failed run')] : []),
    ...(more > 0 ? [formatCount(more, 'more failure')] : []),
  ]
  return [
    ...(baseless > 0 ? [{ name: 'no-basis' as const, message: describeBaseless(baseless) }] : []),
    ...(uncompared.length > 0
      ? [
          {
            name: 'not-compared' as const,
            message: `the service did not compare ${uncompared.join(' and ')} with earlier runs`,
          },
        ]
      : []),
  ]
}

function describeBaseless(count: number): string {
  return `${formatCount(count, 'failure')} cannot be told new or old: neither the merge base nor the default branch has the test on record`
}
