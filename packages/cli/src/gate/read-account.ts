import { type Build, type Client, describeBuild } from '@runledger/protocol'
import { askBuild } from './answers'
import { type Doubt, orDoubt } from './doubt'
import type { Account, Criterion } from './judge'
import { type FoundFailures, readFailures } from './read-failures'
import { readSlower } from './read-slower'
import { type Patience, pause, waitForBuild } from './wait-for-build'

export interface Asked {
  group: string
  /** The commit that the build must have; undefined if every commit is accepted. */
  commit: string | undefined
  failOn: ReadonlySet<Criterion>
  patience: Patience
}

/** Reads the facts on record. Reads again while a request fails, or while the build changes between two requests. */
export async function readAccount(client: Client, asked: Asked): Promise<Account> {
  for (;;) {
    const account = await readOnce(client, asked)
    const doubt = account.doubts.find(({ mayPass }) => mayPass)
    if (!doubt || !(await pause(asked.patience, `Waiting for build ${asked.group}: ${doubt.message}`)))
      return account
  }
}

async function readOnce(client: Client, asked: Asked): Promise<Account> {
  const { build, doubts } = await waitForBuild(client, asked.group, asked.patience)
  if (!build) return { doubts }
  const account = await readParts(client, build, { ...asked, doubts })
  if (account.doubts.some(({ name }) => name === 'incomplete' || name === 'no-service')) return account
  const after = await orDoubt(account.doubts, async () => ({ build: await askBuild(client, asked.group) }))
  if (after && !isSame(build, after.build)) account.doubts.push(CHANGES)
  return account
}

const CHANGES: Doubt = {
  name: 'incomplete',
  message: 'the build changes while the gate reads it',
  mayPass: true,
}

function isSame(before: Build, after: Build | undefined): boolean {
  const facts = (build: Build | undefined) =>
    build && JSON.stringify([build.state, build.missing, build.last_reported_at, build.runs, build.tests])
  return facts(before) === facts(after)
}

async function readParts(
  client: Client,
  build: Build,
  { commit, failOn, doubts: earlier }: Asked & { doubts: readonly Doubt[] },
): Promise<Account> {
  const doubts = [...earlier, ...doubtBuild(build, commit)]
  const hasFailed = build.runs.failed > 0 || build.state === 'failed'
  const found = hasFailed ? await orDoubt(doubts, () => readFailures(client, build)) : NO_FAILURES
  const slower = failOn.has('slower') ? await orDoubt(doubts, () => readSlower(client, build)) : undefined
  return {
    build,
    found: found ?? { ...NO_FAILURES, more: Math.max(1, build.runs.failed) },
    slower,
    doubts: [...doubts, ...(slower?.doubts ?? [])],
  }
}

const NO_FAILURES: FoundFailures = { failures: [], more: 0, replaced: 0, advice: undefined }

/** Either commit may be shortened. */
export function isSameCommit(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one)
}

function doubtBuild(build: Build, commit: string | undefined): Doubt[] {
  const { state, tests } = build
  const hasEnded = state === 'passed' || state === 'failed'
  const hasOnlySkipped = tests.skipped > 0 && tests.passed + tests.flaky + tests.failed === 0
  const found: (Doubt | false)[] = [
    !hasEnded && { name: 'incomplete', message: `the build is ${describeBuild(build)}` },
    hasOnlySkipped && { name: 'no-tests', message: 'all tests of the build were skipped' },
    doubtCommit(build, commit),
  ]
  return found.filter((doubt) => doubt !== false)
}

/** `commit`: that of this job of a CI, if the build is not named otherwise. */
export function doubtCommit({ commit: built }: Build, commit: string | undefined): Doubt | false {
  if (commit === undefined || built === null || isSameCommit(built, commit)) return false
  return {
    name: 'other-commit',
    message: `the build is of commit ${built}, and this job of ${commit}: another build may have the same group`,
  }
}
