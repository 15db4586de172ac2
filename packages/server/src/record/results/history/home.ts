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
import { listBuilds } from '../builds/store'
import type { FileContext } from '../../files/attachments/file-context'
import { findDefaultBranch, listLines, listProjects, type ProcedureRow } from './home-store'
import { countTests, type CountedTest, type KnownFacts, readStates } from './counted-tests'
import { growthOf } from './test-list'
import { readTestReferences } from '../tests/test-references'

const MAX_PROJECTS = 20
const MAX_ITEMS = 5

/** `GET /v2/home`. */
export async function getHome(context: FileContext): Promise<Home> {
  const { query } = context.database
  const known: KnownFacts = new Map()
  const projects = []
  for (const procedure of await listProjects(query, MAX_PROJECTS))
    projects.push(await readProject(context, procedure, known))
  return {
    projects: projects.map(({ project }) => project),
    lines: await listLines(query, context.clock()),
    needs_you: projects
      .flatMap(({ items }) => items)
      .toSorted(byUrgency)
      .slice(0, MAX_ITEMS),
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
  { id, ...procedure }: ProcedureRow,
  known: KnownFacts,
): Promise<ReadProject> {
  const { query } = context.database
  const branch = await findDefaultBranch(query, id)
  const branches = branch === null ? undefined : [branch]
  const list = ListBuildsQuerySchema.parse({ procedure_ids: procedure.id_text, branches, limit: HOME_BUILDS })
  const rows = (await listBuilds(query, list)).slice(0, HOME_BUILDS)
  const builds = await listBuildItems(context, rows)
  const asked = ListTestsQuerySchema.parse({
    branch,
    days: DEFAULT_TEST_DAYS,
    procedure_ids: procedure.id_text,
  })
  const counted = await countTests(context, asked, known)
  const states = await readStates(query, counted)
  const inState = (wanted: string) => counted.tests.filter((test) => states.get(test.id) === wanted)
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
        broken: inState('broken').length,
        slower: counted.tests.filter((test) => growthOf(test) > 0).length,
      },
    },
    items: [
      ...listBuildItemsToLookAt(reference, builds[0]),
      ...(await listTestsToLookAt(context, reference, { broken: inState('broken'), flaky })),
    ],
  }
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
