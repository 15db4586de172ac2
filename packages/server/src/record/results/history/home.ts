import {
  type BuildListItem,
  DEFAULT_TEST_DAYS,
  type Home,
  HOME_BUILDS,
  type HomeItem,
  type HomeProject,
  ListBuildsQuerySchema,
  ListTestsQuerySchema,
} from '@runledger/protocol'
import { listBuildItems } from '../builds/read-build'
import { findDefaultBranch, listBuilds } from '../builds/store'
import type { FileContext } from '../../files/attachments/file-context'
import type { Query } from '../../../storage/database/database'
import { groupBy } from '../../../storage/database/rows'
import { listProjects, type ProcedureRow } from './home-store'
import { type CountedTest, type CountedTests, countTests, readStates } from './counted-tests'
import { growthOf } from './test-list'
import { readTestReferences } from '../tests/test-references'

const MAX_PROJECTS = 20
const MAX_ITEMS = 5

/** Without the production lines. */
export async function getHome(context: FileContext): Promise<Omit<Home, 'lines'>> {
  const { query } = context.database
  const procedures = await listProjects(query, MAX_PROJECTS)
  const branches = await Promise.all(procedures.map(({ id }) => findDefaultBranch(query, id)))
  const found = procedures.map((procedure, index) => ({ procedure, branch: branches[index] ?? null }))
  const [builds, tests] = await Promise.all([listLastBuilds(context, found), countLastTests(context, found)])
  const projects = []
  for (const [index, project] of found.entries())
    projects.push(await readProject(context, project, { builds: builds[index] ?? [], ...tests(project) }))
  return {
    projects: projects.map(({ project }) => project),
    needs_you: projects
      .flatMap(({ items }) => items)
      .toSorted(byUrgency)
      .slice(0, MAX_ITEMS),
  }
}

interface Project {
  procedure: ProcedureRow
  branch: string | null
}

/** A build may be of several projects, and is read once. */
async function listLastBuilds(
  context: FileContext,
  projects: readonly Project[],
): Promise<BuildListItem[][]> {
  const lists = await Promise.all(
    projects.map(async ({ procedure, branch }) => {
      const branches = branch === null ? undefined : [branch]
      const list = { procedure_ids: procedure.id_text, branches, limit: HOME_BUILDS }
      const rows = await listBuilds(context.database.query, ListBuildsQuerySchema.parse(list))
      return rows.slice(0, HOME_BUILDS)
    }),
  )
  const different = new Map(lists.flat().map((row) => [row.group_name, row]))
  const items = await listBuildItems(context, [...different.values()])
  const byGroup = new Map(items.map((item) => [item.group, item]))
  return lists.map((rows) => rows.flatMap(({ group_name: group }) => byGroup.get(group) ?? []))
}

/** On their default branches, each of which is read once for all projects. */
async function countLastTests(
  context: FileContext,
  projects: readonly Project[],
): Promise<(project: Project) => CountedTests> {
  const counted = new Map<string | null, CountedTests>()
  for (const [branch, ofBranch] of groupBy(projects, (project) => project.branch)) {
    const asked = ListTestsQuerySchema.parse({
      branch: branch ?? undefined,
      procedure_ids: ofBranch.map(({ procedure }) => procedure.id_text),
    })
    counted.set(branch, await countTests(context, asked))
  }
  return ({ branch, procedure }) => {
    const ofBranch = counted.get(branch) ?? { tests: [], infrastructure: new Set(), branchId: 0 }
    return { ...ofBranch, tests: ofBranch.tests.filter((test) => test.procedure_id === procedure.id) }
  }
}

const URGENCY: readonly HomeItem['kind'][] = ['build-failed', 'test-broken', 'build-incomplete', 'test-flaky']

function byUrgency(one: HomeItem, other: HomeItem): number {
  return URGENCY.indexOf(one.kind) - URGENCY.indexOf(other.kind)
}

interface ReadProject {
  project: HomeProject
  items: HomeItem[]
}

async function readProject(
  context: FileContext,
  { procedure: { id: _id, ...procedure }, branch }: Project,
  { builds, ...counted }: CountedTests & { builds: readonly BuildListItem[] },
): Promise<ReadProject> {
  const { query } = context.database
  const broken = await listBroken(query, counted)
  const flaky = counted.tests.filter((test) => test.flaky + test.contradictions > 0)
  const reference = { id: procedure.id_text, identifier: procedure.identifier, name: procedure.name }
  return {
    project: {
      procedure: reference,
      default_branch: branch,
      builds: builds
        .toReversed()
        .map(({ group, state, is_infrastructure }) => ({ group, state, is_infrastructure })),
      last_build: builds[0] ?? null,
      tests: {
        total: counted.tests.length,
        flaky: flaky.length,
        broken: broken.length,
        slower: counted.tests.filter((test) => growthOf(test) > 0).length,
      },
    },
    items: [
      ...listBuildItemsToLookAt(reference, builds[0]),
      ...(await listTestsToLookAt(context, reference, { broken, flaky })),
    ],
  }
}

/** Fewer failures, or less than half of the results, break no test. */
const LEAST_FAILURES = 3

async function listBroken(query: Query, counted: CountedTests): Promise<CountedTest[]> {
  const tests = counted.tests.filter(({ passed, flaky, failed }) => {
    const failures = flaky + failed
    return failures >= LEAST_FAILURES || failures >= passed
  })
  const states = await readStates(query, { ...counted, tests })
  return tests.filter(({ id }) => states.get(id) === 'broken')
}

function listBuildItemsToLookAt(
  procedure: HomeItem['procedure'],
  build: BuildListItem | undefined,
): HomeItem[] {
  if (build?.state === 'failed') {
    const what = build.tests.failed === 1 ? '1 test failed' : `${build.tests.failed} tests failed`
    const text = build.is_infrastructure ? `${what}: likely the environment` : what
    return [{ kind: 'build-failed', procedure, group: build.group, test: null, text }]
  }
  if (build?.state === 'incomplete')
    return [
      { kind: 'build-incomplete', procedure, group: build.group, test: null, text: build.missing.join('; ') },
    ]
  return []
}

async function listTestsToLookAt(
  { database: { query } }: FileContext,
  procedure: HomeItem['procedure'],
  { broken, flaky }: { broken: readonly CountedTest[]; flaky: readonly CountedTest[] },
): Promise<HomeItem[]> {
  const [most] = flaky.toSorted(
    (one, other) => other.flaky + other.contradictions - one.flaky - one.contradictions,
  )
  const shown = [
    ...broken.slice(0, MAX_ITEMS).map((test) => ({ test, kind: 'test-broken' as const })),
    ...(most ? [{ test: most, kind: 'test-flaky' as const }] : []),
  ]
  const references = await readTestReferences(
    query,
    shown.map(({ test }) => test.id),
  )
  return shown.flatMap(({ test, kind }): HomeItem[] => {
    const reference = references.get(test.id)
    if (!reference) return []
    const results = test.passed + test.flaky + test.failed
    const text =
      kind === 'test-broken'
        ? `failed in ${test.failed} of ${results} results of the last ${DEFAULT_TEST_DAYS} days`
        : `flaky in ${test.flaky + test.contradictions} builds of the last ${DEFAULT_TEST_DAYS} days`
    const state = kind === 'test-broken' ? 'broken' : 'flaky'
    return [{ kind, procedure, group: null, test: { ...reference, state }, text }]
  })
}
