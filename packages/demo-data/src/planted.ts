import type { Commit } from './build'
import { type FlakyTest, FLAKY_TESTS } from './catalogue/flaky-tests'
import {
  BRANCH_TEST,
  BROKEN_TESTS,
  INCOMPLETE_BUILD,
  NEW_TEST,
  OUTAGE,
  RENAMES,
  SLOWER_TEST,
} from './catalogue/planted'
import { joinTitles, type Project, type ProjectKey } from './catalogue/project'
import type { TestPlace } from './catalogue/test-place'
import type { Draw } from './draw'
import { describeLine, type PlantedLine } from './line/planted-line'
import type { BoardPlan } from './line/plan-line'
import { addressOf, groupOf } from './software/identify-build'
import { findIncompleteBuild } from './software/map-build'
import { findPositions, type PlantedPositions } from './software/plant-commits'
import type { BuildPlan, Days, ProjectPlan } from './software/plan'

export interface PlantedBuild extends Pick<Commit, 'sha' | 'subject' | 'author'> {
  group: string
  startedAtMs: number
}

export interface PlantedTest extends TestPlace {
  procedure: string
}

/** The planted facts of a year, as a reader of the record should find them. Names and files are the newest ones. */
export interface Planted {
  flaky: readonly (PlantedTest & Pick<FlakyTest, 'oneIn'> & { message: string })[]
  slower: PlantedTest & { factor: number; since: PlantedBuild }
  broken: readonly (PlantedTest & { message: string; brokenBy: PlantedBuild; fixedBy: PlantedBuild })[]
  /** The outage: one error fails most tests in each of these builds. */
  outage: { procedure: string; message: string; builds: readonly PlantedBuild[] }
  renames: readonly {
    procedure: string
    kind: 'file' | 'describe' | 'test'
    before: TestPlace
    after: TestPlace
    since: PlantedBuild
  }[]
  incomplete: PlantedBuild & { procedure: string; shard: string; ciBuildUrl: string }
  branchOnly: PlantedTest & { branch: string; message: string; builds: readonly PlantedBuild[] }
  added: PlantedTest & { since: PlantedBuild }
  line: PlantedLine
}

export interface Plans {
  plans: readonly ProjectPlan[]
  boards: readonly BoardPlan[]
  days: Days
  draw: Draw
}

export function describePlanted({ plans, boards, days, draw }: Plans): Planted {
  const look = new Look(plans, draw)
  return { ...describeTests(look), ...describeBuilds(look), line: describeLine(boards, days) }
}

function describeTests(look: Look): Pick<Planted, 'flaky' | 'slower' | 'broken' | 'renames' | 'added'> {
  return {
    flaky: FLAKY_TESTS.map((test) => {
      return { ...look.toTest(test), oneIn: test.oneIn, message: test.failure.message }
    }),
    slower: {
      ...look.toTest(SLOWER_TEST),
      factor: SLOWER_TEST.factor,
      since: look.findMain(SLOWER_TEST.project, ({ slower }) => slower),
    },
    broken: BROKEN_TESTS.map((test, index) => ({
      ...look.toTest(test),
      message: test.failure.message,
      brokenBy: look.findMain(test.project, ({ broken }) => broken[index]?.from ?? 0),
      fixedBy: look.findMain(test.project, ({ broken }) => broken[index]?.until ?? 0),
    })),
    renames: RENAMES.flatMap((rename, index) => {
      const since = look.findMain(rename.project, ({ renames }) => renames[index] ?? 0)
      const { project } = look.planOf(rename.project)
      const facts = { procedure: project.procedure.identifier, kind: rename.kind, since }
      return listRenamed(rename, project).map((places) => ({ ...facts, ...places }))
    }),
    added: { ...look.toTest(NEW_TEST), since: look.findMain(NEW_TEST.project, ({ added }) => added) },
  }
}

function describeBuilds(look: Look): Pick<Planted, 'outage' | 'incomplete' | 'branchOnly'> {
  const outage = look.planOf(OUTAGE.project)
  const plan = look.planOf(INCOMPLETE_BUILD.project)
  const incomplete = plan.builds[findIncompleteBuild(plan) ?? 0] as BuildPlan
  const ofBranch = look.planOf(BRANCH_TEST.project).builds.filter(({ kind, branch }) => {
    return kind === 'request' && branch === BRANCH_TEST.branch
  })
  return {
    outage: {
      procedure: outage.project.procedure.identifier,
      message: OUTAGE.failure.message,
      builds: outage.builds.filter(({ day }) => day === outage.outageDay).map((build) => look.toBuild(build)),
    },
    incomplete: {
      ...look.toBuild(incomplete),
      procedure: plan.project.procedure.identifier,
      shard: `${INCOMPLETE_BUILD.shard}/${plan.project.shards}`,
      ciBuildUrl: addressOf(incomplete),
    },
    branchOnly: {
      ...look.toTest(BRANCH_TEST),
      branch: BRANCH_TEST.branch,
      message: BRANCH_TEST.failure.message,
      builds: ofBranch.map((build) => look.toBuild(build)),
    },
  }
}

/** Finds the builds of the planted facts in the plans. */
class Look {
  constructor(
    private readonly plans: readonly ProjectPlan[],
    private readonly draw: Draw,
  ) {}

  planOf(key: ProjectKey): ProjectPlan {
    return this.plans.find(({ project }) => project.key === key) as ProjectPlan
  }

  toTest({ project, file, name }: TestPlace): PlantedTest {
    return { procedure: this.planOf(project).project.procedure.identifier, project, file, name }
  }

  toBuild(build: BuildPlan): PlantedBuild {
    const { sha, subject, author } = build.commit
    return { sha, subject, author, group: groupOf(build, this.draw), startedAtMs: build.startedAtMs }
  }

  /** The build of a commit of main. */
  findMain(key: ProjectKey, find: (positions: PlantedPositions) => number): PlantedBuild {
    const { builds, main } = this.planOf(key)
    const position = find(findPositions(main.length))
    const build = builds.find(({ kind, commit }) => kind === 'main' && commit.position === position)
    return this.toBuild(build as BuildPlan)
  }
}

/** Every test that a rename affects, before and after it. */
function listRenamed(
  { kind, file, title, former, project }: (typeof RENAMES)[number],
  { suites }: Project,
): { before: TestPlace; after: TestPlace }[] {
  const tests = suites.find((suite) => suite.file === file)?.tests ?? []
  const concerned = tests.filter(({ titles }) => kind === 'file' || titles.includes(title ?? ''))
  return concerned.map(({ titles }) => ({
    before: {
      project,
      file: kind === 'file' ? former : file,
      name: joinTitles(titles.map((each) => (each === title ? former : each))),
    },
    after: { project, file, name: joinTitles(titles) },
  }))
}
