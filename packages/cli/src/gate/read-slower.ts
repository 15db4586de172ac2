import type { Build, BuildListItem, Client, ComparedTest, Comparison, RunListItem } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { readVariable } from '../ask/runs'
import { askBuilds, askComparison, askRuns } from './answers'
import type { Doubt } from './doubt'

export interface FoundSlower {
  total: number
  tests: ComparedTest[]
  /** The tests whose durations cannot be compared. */
  note: string | undefined
  doubts: Doubt[]
}

/** Finds tests that take longer than in the last complete build of the default branch. */
export async function readSlower(client: Client, build: Build): Promise<FoundSlower> {
  const [run] = (await askRuns(client, build.group, { limit: 1 })).data
  const branch = run && readVariable(run, 'git_default_branch')
  if (!run || branch === undefined) return createDoubt(NO_BRANCH)
  const builds = await askBuilds(client, {
    branches: [branch],
    procedure_ids: build.procedures.map(({ id }) => id),
    states: ['passed', 'failed'],
    started_before: build.started_at,
    limit: MAX_READ,
  })
  const base = await findBase(client, builds, isOfCi(run))
  if (!base) return createDoubt(`${branch} has no build before this one to compare with${EXCEPTED}`)
  const comparison = await askComparison(client, base.group, build.group)
  return {
    total: comparison.slower.total,
    tests: comparison.slower.data,
    note: describeUncompared(comparison, base),
    doubts: [],
  }
}

/** Considers only builds of a CI, because durations on a laptop are not comparable. */
async function findBase(
  client: Client,
  builds: readonly BuildListItem[],
  needsCi: boolean,
): Promise<BuildListItem | undefined> {
  for (const build of builds) {
    if (build.is_infrastructure) continue
    const [run] = (await askRuns(client, build.group, { limit: 1 })).data
    if (run && (isOfCi(run) || !needsCi)) return build
  }
  return undefined
}

/** Uses the same rule as the verdicts of the service. */
function isOfCi(run: RunListItem): boolean {
  const ci = readVariable(run, 'ci')
  return ci !== undefined && ci !== 'false'
}

/** Leaves out tests that are not in the earlier build, because they cannot have become slower. */
function describeUncompared({ fixed, counts }: Comparison, base: BuildListItem): string | undefined {
  const reasons = [
    describeTests(fixed.total, 'failed in it'),
    describeTests(counts.base.flaky, 'flaky in it'),
    describeTests(counts.head.flaky, 'flaky in this build'),
  ].filter((reason) => reason !== '')
  if (reasons.length === 0) return undefined
  return `Durations not compared with build ${base.group}: ${reasons.join(', ')}`
}

function describeTests(count: number, what: string): string {
  return count === 0 ? '' : `${formatCount(count, 'test')} ${what}`
}

function createDoubt(reason: string): FoundSlower {
  return {
    total: 0,
    tests: [],
    note: undefined,
    doubts: [{ name: 'no-duration', message: `durations cannot be compared: ${reason}` }],
  }
}

/** More builds in a row that do not count are rare. */
const MAX_READ = 10
const EXCEPTED = ' (incomplete and infrastructure builds and those outside of a CI do not count)'

const NO_BRANCH =
  'the default branch is not known: set the option defaultBranch (RUNLEDGER_DEFAULT_BRANCH) of the reporter'
