import { type Build, type Client, describeBuild } from '@runledger/protocol'
import { askBuild } from './answers'
import { type Doubt, orDoubt } from './doubt'
import type { Account, Criterion } from './judge'
import { type FoundFailures, readFailures } from './read-failures'
import { readSlower } from './read-slower'
import { type Patience, waitForBuild } from './wait-for-build'

export interface Asked {
  group: string
  /** The commit that the build has to be of; undefined if any will do. */
  commit: string | undefined
  failOn: ReadonlySet<Criterion>
  patience: Patience
}

/** A build whose jobs have ended changes no more; three are enough for a late rerun. */
const MAX_READS = 3

/** What the service has on record. A build that changes between two requests is read again. */
export async function readAccount(client: Client, asked: Asked): Promise<Account> {
  for (let reads = 1; ; reads += 1) {
    const { build, doubts } = await waitForBuild(client, asked.group, asked.patience)
    if (!build) return { doubts: [...doubts, { name: 'no-build', message: nameMissing(asked.group) }] }
    const account = await readParts(client, build, { ...asked, doubts })
    if (account.doubts.some(({ name }) => name === 'incomplete' || name === 'no-service')) return account
    const after = await orDoubt(account.doubts, async () => ({ build: await askBuild(client, asked.group) }))
    if (!after || isSame(build, after.build)) return account
    if (reads === MAX_READS) return addDoubt(account, 'the build changes while the gate reads it')
  }
}

function nameMissing(group: string): string {
  return `nothing of the build ${group} is on record`
}

function addDoubt(account: Account, message: string): Account {
  return { ...account, doubts: [...account.doubts, { name: 'incomplete', message }] }
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

/** One of them may be shortened. */
function isSameCommit(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one)
}

function doubtBuild(build: Build, commit: string | undefined): Doubt[] {
  const { state, tests } = build
  const hasEnded = state === 'passed' || state === 'failed'
  const hasOnlySkipped = tests.skipped > 0 && tests.passed + tests.flaky + tests.failed === 0
  const isOfOther = commit !== undefined && build.commit !== null && !isSameCommit(build.commit, commit)
  const found: (Doubt | false)[] = [
    !hasEnded && { name: 'incomplete', message: `the build is ${describeBuild(build)}` },
    hasOnlySkipped && { name: 'no-tests', message: 'all tests of the build were skipped' },
    isOfOther && {
      name: 'other-commit',
      message: `the build is of commit ${build.commit}, and this job of ${commit}: another build may have the same group`,
    },
  ]
  return found.filter((doubt) => doubt !== false)
}
