import type { UnitHistory, Verdict, VerdictBasis } from '@runledger/protocol'
import { groupBy } from '../../../storage/database/rows'

/** What verdicts depend on; unknown facts are null. */
export interface KnownRun {
  id: number
  public_id: string
  started_at_us: number
  branch: string | null
  commit: string | null
  /** The same for shards and reruns of one execution. */
  build: string
  /** The build, and which rerun of it. */
  buildAttempt: string
  /** Facts of the machine that may decide whether a test passes. */
  environment: string
  isOfCi: boolean
  /** Whether the run belongs to a pull request. */
  isOfRequest: boolean
  /** The key of its build, if it has one. */
  buildId: number | null
  isOfSoftware: boolean
  unitId: number
  /** Samples, such as golden ones, test the bench. */
  isOfSample: boolean
}

export interface FailedRun extends KnownRun {
  mergeBase: string | null
  defaultBranch: string | null
}

/** `retried`: it passed when it was tried again. */
export interface TestResult {
  run: KnownRun
  outcome: 'passed' | 'retried' | 'failed'
}

export interface Finding {
  verdict: Verdict
  basis: VerdictBasis
  /** The unbroken row of failures: its first run, and how many builds it has. */
  failingSince?: { run: KnownRun; builds: number } | undefined
  lastPassed?: KnownRun | undefined
  unit?: FoundHistory | undefined
  /** For a failure that is not new: whether the merge base or the default branch shows it. */
  isKnown?: boolean | undefined
}

type RunOfHistory = 'first_failed' | 'passed_between' | 'passed_later'

/** With whole runs instead of their descriptions. */
export type FoundHistory = Omit<UnitHistory, RunOfHistory> & { [Name in RunOfHistory]?: KnownRun | undefined }

interface Circumstances {
  /** Whether the run has several attempts and all failed. */
  hasFailedAgain: boolean
  /** The keys of infrastructure builds. */
  infrastructure: ReadonlySet<number>
}

/**
 * The rule for runs of software, as protocol describes it at `VERDICTS`. `past` has earlier runs of the test, also of software,
 * newest first.
 */
export function deriveVerdict(
  run: FailedRun,
  past: readonly TestResult[],
  { hasFailedAgain, infrastructure }: Circumstances,
): Finding {
  const others = past.filter((result) => result.run.build !== run.build)
  const { basis, builds } = findBasis(run, others)
  const failed = countFailed(builds)
  const lastPassed = builds[failed]?.run
  const ofBranch = () => listBuilds(run, others.filter(isOfBranch(run.branch)))
  const isConstant = () => failed >= CONSTANT_BUILDS || countFailed(ofBranch()) >= CONSTANT_BUILDS
  const results: TestResult[] = [{ run, outcome: 'failed' }, ...past]
  const recent = listRecent(
    results.filter(
      ({ run: { buildId }, outcome }) => outcome === 'passed' || !infrastructure.has(buildId ?? 0),
    ),
  )
  const base = isComparedWithOthers(basis) ? builds[0]?.run : undefined
  const isKnown = base !== undefined && isKnownOn({ basis, base }, { run, hasFailedAgain, recent })
  if (isFlaky(recent) && !isConstant()) return { verdict: 'flaky', basis, lastPassed, isKnown }
  const first = builds[failed - 1]?.failed
  if (first) {
    const failingSince = { run: first, builds: failed }
    return { verdict: 'already_failing', basis, failingSince, lastPassed, isKnown }
  }
  return { verdict: basis === 'none' ? 'first_seen' : 'new', basis, lastPassed }
}

/** Keeps the results of the last `FLAKY_BUILDS` builds. */
function listRecent(results: readonly TestResult[]): TestResult[] {
  const builds = new Set<string>()
  const end = results.findIndex(({ run }) => builds.add(run.build).size > FLAKY_BUILDS)
  return end < 0 ? [...results] : results.slice(0, end)
}

function isComparedWithOthers(basis: VerdictBasis): boolean {
  return basis === 'merge-base' || basis === 'default-branch'
}

function isKnownOn({ basis, base }: Compared, { run, hasFailedAgain, recent }: Failure): boolean {
  const { defaultBranch } = run
  const trusted = recent.filter(({ run: each }) => each.isOfCi || !run.isOfCi)
  const isOfCommit = ({ commit }: KnownRun) => commit !== null && commit === base.commit
  // A fork's branch may have the same name as the default branch.
  const isOfDefault = (each: KnownRun) =>
    defaultBranch !== null && each.branch === defaultBranch && !each.isOfRequest
  const isOnLine = isOfDefault(base) || basis === 'default-branch'
  const ofMergeBase = basis === 'merge-base' ? trusted.filter((result) => isOfCommit(result.run)) : []
  // Later commits may have been built before the merge base was built again.
  const firsts = ofMergeBase.filter((result) => isOfDefault(result.run)).map((result) => result.run.id)
  const endId = Math.min(base.id, ...firsts)
  const isEarlier = (each: KnownRun) => isOnLine && isOfDefault(each) && each.id <= endId
  const earlier = trusted.filter((result) => isEarlier(result.run))
  const builds = [ofMergeBase, earlier].flatMap((found) =>
    listBuilds(
      run,
      found.filter((result) => result.run.build !== run.build),
    ),
  )
  const last = builds.find((build) => !build.failed || !isRepeated(run, build.failed))
  if (last?.failed && !last.hasPassed) return true
  const ofBasis = trusted.filter(({ run: each }) => isOfCommit(each) || isEarlier(each))
  return !hasFailedAgain && isFlaky(ofBasis.filter((result) => result.run.environment === run.environment))
}

/** Whether both failures are of the same branch and commit, as in two pipelines. Then neither shows that the other is old. */
function isRepeated(run: KnownRun, failed: KnownRun): boolean {
  return run.commit !== null && failed.commit === run.commit && failed.branch === run.branch
}

interface Compared {
  basis: VerdictBasis
  /** The last run of the basis. */
  base: KnownRun
}

interface Failure {
  run: FailedRun
  hasFailedAgain: boolean
  /** The results of the last builds that count. */
  recent: readonly TestResult[]
}

/** A test that failed in so many builds in a row fails constantly. */
const CONSTANT_BUILDS = 3

interface Build {
  /** The last run of the build that counts. */
  run: KnownRun
  failed: KnownRun | undefined
  hasPassed: boolean
}

/** Its build, and earlier builds of its branch, newest first. */
function findBasis(
  run: FailedRun,
  results: readonly TestResult[],
): { basis: VerdictBasis; builds: readonly Build[] } {
  const { mergeBase, defaultBranch, branch } = run
  const candidates: [VerdictBasis, TestResult[]][] = [
    [
      'merge-base',
      mergeBase === null ? [] : preferCi(results.filter((result) => result.run.commit === mergeBase)),
    ],
    ['default-branch', defaultBranch === null ? [] : preferCi(results.filter(isOfBranch(defaultBranch)))],
    ['branch', results.filter(isOfBranch(branch))],
  ]
  for (const [basis, found] of candidates) {
    const [last] = listBuilds(
      run,
      found.filter((result) => result.run.build === found[0]?.run.build),
    )
    if (!last) continue
    const { branch: ofBasis, id } = last.run
    const line = results.filter((result) => result.run.branch === ofBasis && result.run.id <= id)
    // The deciding build stays the first, even if a CI build is before it.
    return { basis, builds: listBuilds(run, basis === 'branch' || !last.run.isOfCi ? line : preferCi(line)) }
  }
  return { basis: 'none', builds: [] }
}

function isOfBranch(branch: string | null) {
  return ({ run }: TestResult) => run.branch === branch
}

// A working copy may have changes that its commit does not have.
function preferCi(results: TestResult[]): TestResult[] {
  const ofCi = results.filter((result) => result.run.isOfCi)
  return ofCi.length > 0 ? ofCi : results
}

/**
 * Uses the last attempt of each build, preferably in the same environment. Jobs of an attempt may differ in unknown facts, such as a
 * database, so several runs can count.
 */
function listBuilds({ environment }: KnownRun, results: readonly TestResult[]): Build[] {
  return [...groupBy(results, (result) => result.run.build).values()].flatMap((ofBuild) => {
    const inEnvironment = ofBuild.filter((result) => result.run.environment === environment)
    const [last, ...others] = inEnvironment.length > 0 ? inEnvironment : ofBuild
    if (!last) return []
    const { isOfCi, buildAttempt } = last.run
    const jobs = [last, ...others.filter((result) => isOfCi && result.run.buildAttempt === buildAttempt)]
    return [
      {
        run: last.run,
        failed: jobs.find(({ outcome }) => outcome === 'failed')?.run,
        hasPassed: jobs.some(({ outcome }) => outcome !== 'failed'),
      },
    ]
  })
}

/** How many of the first builds failed in a row. */
function countFailed(builds: readonly Build[]): number {
  const end = builds.findIndex(({ failed }) => !failed)
  return end < 0 ? builds.length : end
}

const FLAKY_BUILDS = 100

/** Whether the test passed on a retry, or passed and failed on one commit. */
function isFlaky(results: readonly TestResult[]): boolean {
  const tried = new Map<string, { passed: Set<string>; failed: Set<string> }>()
  for (const { run: each, outcome } of results) {
    if (outcome === 'retried') return true
    if (each.commit === null || !each.isOfCi) continue
    const place = `${each.environment} ${each.commit}`
    const { passed, failed } = tried.get(place) ?? { passed: new Set(), failed: new Set() }
    tried.set(place, { passed, failed })
    if (outcome === 'failed') failed.add(each.buildAttempt)
    else passed.add(each.buildAttempt)
  }
  // One failed job fails the build.
  for (const { passed, failed } of tried.values())
    if (failed.size > 0 && [...passed].some((build) => !failed.has(build))) return true
  return false
}
