import { type TakeShard, toRelativePath } from '@runledger/reporter-kit'
import type { FullConfig, Suite as PlaywrightSuite } from '@playwright/test/reporter'

/** Since Playwright 1.62: what a reporter may change before the tests run. */
export interface TestRun {
  exclude(target: PlaywrightSuite): void
  skipSharding(): void
}

export interface Unsharded {
  config: Pick<FullConfig, 'shard'>
  suite: PlaywrightSuite
  testRun: TestRun
}

type Take = (suite: Parameters<TakeShard>[0]) => ReturnType<TakeShard>

/** Leaves only the files of this shard, or Playwright's own division. @throws ApiError 409 if the plan is for other files */
export async function planShard(
  { config, suite, testRun }: Unsharded,
  { rootDir, take }: { rootDir: string; take: Take },
): Promise<void> {
  if (!config.shard) return
  const nameOf = (file: PlaywrightSuite) => toRelativePath(rootDir, file.location?.file ?? file.title)
  const projects = listDividedProjects(suite)
  const files = projects.flatMap((project) => project.suites.map(nameOf))
  if (files.length === 0) return
  const { current: index, total } = config.shard
  const own = await take({ framework: 'playwright', shard: { index, total }, files })
  if (!own) return
  testRun.skipSharding()
  for (const project of projects) {
    const others = project.suites.filter((file) => !own.has(nameOf(file)))
    // Playwright runs the dependencies of every project that is left, even of one without files.
    const excluded = others.length === project.suites.length ? [project] : others
    for (const each of excluded) testRun.exclude(each)
  }
}

/** Without projects that others depend on: Playwright runs these in every shard. */
function listDividedProjects({ suites }: PlaywrightSuite): PlaywrightSuite[] {
  const needed = suites.flatMap((suite) => {
    const { dependencies = [], teardown } = suite.project() ?? {}
    return [...dependencies, teardown]
  })
  return suites.filter((suite) => !needed.includes(suite.project()?.name))
}
