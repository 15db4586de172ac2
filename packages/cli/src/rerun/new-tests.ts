import { type Client, MAX_PAGE_LIMIT, MAX_TEST_DAYS, type TestListItem } from '@runledger/protocol'
import { readVariable } from '../ask/runs'
import { readRuns } from './failed-tests'
import { isOfFramework } from './failures'
import type { EndedBuild } from './find-build'
import { type FailedTest, hasSeveralFiles, listPassedTests, type PassedTest } from './recorded-run'

/** A test that is on record since this build, and passed in it. */
export interface NewTest {
  test: TestListItem
  /** As it has to be run again. */
  selected: FailedTest
}

export async function findNewTests(
  client: Client,
  { build, framework, runs }: EndedBuild,
): Promise<NewTest[]> {
  const ofFramework = runs.filter((run) => isOfFramework(run, framework))
  const procedures = [...new Set(ofFramework.map(({ procedure }) => procedure.id))]
  const listed = await listSince(client, build.started_at, procedures)
  const files = new Set(listed.map(({ file }) => file))
  const perhaps = ofFramework.filter(
    (run) => hasSeveralFiles(run) || files.has(readVariable(run, 'file') ?? null),
  )
  const byKey = new Map(listed.map((test) => [keyOf(test.procedure.id, test), test]))
  const found = new Map<string, NewTest>()
  for await (const run of readRuns(client, listed.length > 0 ? perhaps : []))
    for (const passed of listPassedTests(run)) {
      const test = byKey.get(keyOf(run.procedure.id, passed))
      if (test) found.set(test.id, { test, selected: passed.selected })
    }
  return [...found.values()]
}

function keyOf(procedureId: string, { name, file, project }: Omit<PassedTest, 'selected'>): string {
  return JSON.stringify([procedureId, project, file, name])
}

const MS_PER_DAY = 86_400_000

async function listSince(client: Client, since: string, procedures: string[]): Promise<TestListItem[]> {
  const days = Math.ceil((Date.now() - Date.parse(since)) / MS_PER_DAY) + 1
  const query = {
    first_seen_since: since,
    procedure_ids: procedures,
    days: Math.min(MAX_TEST_DAYS, days),
    sort_by: 'name' as const,
    sort_order: 'asc' as const,
    limit: MAX_PAGE_LIMIT,
  }
  const tests: TestListItem[] = []
  let cursor: string | undefined
  do {
    const { data, meta } = await client.listTests({ query: { ...query, cursor } })
    tests.push(...data)
    cursor = meta.next_cursor ?? undefined
  } while (cursor !== undefined)
  return tests
}
