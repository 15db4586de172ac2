import { type Client, MAX_PAGE_LIMIT, MAX_TEST_DAYS, type TestListItem } from '@runledger/protocol'
import { readPages } from '../ask/pages'
import { readVariable } from '../ask/runs'
import { CommandError } from '../command-error'
import { readRuns } from './failed-tests'
import { isOfFramework } from './failures'
import type { EndedBuild } from './find-build'
import { type FailedTest, hasSeveralFiles, listPassedTests, type PassedTest } from './recorded-run'

/** A test that is first on record in this build, or in an earlier one of its branch, and passed in this one. */
export interface NewTest {
  test: TestListItem
  /** As it has to be run again. */
  selected: FailedTest
}

/** @throws CommandError for a build that is too old */
export async function findNewTests(client: Client, ended: EndedBuild): Promise<NewTest[]> {
  const { framework, runs } = ended
  const ofFramework = runs.filter((run) => isOfFramework(run, framework))
  const procedures = [...new Set(ofFramework.map(({ procedure }) => procedure.id))]
  const since = await findStartOfBranch(client, ended)
  const listed = await listSince(client, since, procedures)
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
const BRANCH_DAYS = 30

/**
 * When the first build of the branch began, at most 30 days before this one, so that a test stays new until it is merged. On the
 * default branch, or where that is not known, when this build began.
 */
async function findStartOfBranch(client: Client, { build, runs }: EndedBuild): Promise<string> {
  const { branch, started_at: ownStart } = build
  const defaultBranch = runs.map((run) => readVariable(run, 'git_default_branch')).find(Boolean)
  if (branch === null || defaultBranch === undefined || branch === defaultBranch) return ownStart
  const query = {
    branches: [branch],
    started_after: new Date(Date.parse(ownStart) - BRANCH_DAYS * MS_PER_DAY).toISOString(),
    limit: MAX_PAGE_LIMIT,
  }
  let first = ownStart
  for await (const page of readPages((cursor) => client.listBuilds({ query: { ...query, cursor } })))
    for (const { started_at: start } of page) if (Date.parse(start) < Date.parse(first)) first = start
  return first
}

async function listSince(client: Client, since: string, procedures: string[]): Promise<TestListItem[]> {
  const days = Math.ceil((Date.now() - Date.parse(since)) / MS_PER_DAY) + 1
  if (days > MAX_TEST_DAYS)
    throw new CommandError(
      `the build is older than ${MAX_TEST_DAYS} days, so which tests were new is not known`,
    )
  const query = {
    first_seen_since: since,
    procedure_ids: procedures,
    days,
    sort_by: 'name' as const,
    sort_order: 'asc' as const,
    limit: MAX_PAGE_LIMIT,
  }
  const tests: TestListItem[] = []
  const ask = (cursor: string | undefined) => client.listTests({ query: { ...query, cursor } })
  for await (const page of readPages(ask)) tests.push(...page)
  return tests
}
