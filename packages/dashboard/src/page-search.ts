import {
  AUDIT_SUBJECTS,
  type AuditSubject,
  BUILD_STATES,
  type BuildState,
  TEST_OUTCOMES,
  TEST_STATES,
  type TestOutcome,
  type TestState,
} from '@runledger/protocol'

/** The choices of the pickers at the top, a procedure's id and a branch. Every page keeps both. */
export interface Scope {
  procedure?: string | undefined
  branch?: string | undefined
}
export const SCOPE_KEYS = ['procedure', 'branch'] as const

type Search = Record<string, unknown>

/** One text of an address, undefined for anything else. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The known values of a repeated part, undefined for none. */
function readList<const Value extends string>(value: unknown, known: readonly Value[]): Value[] | undefined {
  const sent: unknown[] = Array.isArray(value) ? value : [value]
  const found = known.filter((one) => sent.includes(one))
  return found.length > 0 ? found : undefined
}

/** One of the known values, undefined for anything else. */
export function readOne<const Value extends string>(
  value: unknown,
  known: readonly Value[],
): Value | undefined {
  return known.find((one) => one === value)
}

export function parseScope({ procedure, branch }: Search): Scope {
  return { procedure: readText(procedure), branch: readText(branch) }
}

/** `/builds?state=failed&author=…&commit=…`. */
export interface BuildListSearch {
  state?: BuildState[] | undefined
  author?: string | undefined
  commit?: string | undefined
}

export function parseBuildListSearch({ state, author, commit }: Search): BuildListSearch {
  return { state: readList(state, BUILD_STATES), author: readText(author), commit: readText(commit) }
}

export const BUILD_TABS = ['failures', 'tests', 'runs'] as const
export const BUILD_TEST_SORTS = ['outcome', 'duration', 'name'] as const

/** `/builds/<group>?tab=tests&outcome=failed&q=…&sort=duration`. */
export interface BuildSearch {
  tab?: (typeof BUILD_TABS)[number] | undefined
  outcome?: TestOutcome[] | undefined
  q?: string | undefined
  sort?: (typeof BUILD_TEST_SORTS)[number] | undefined
}

export function parseBuildSearch({ tab, outcome, q, sort }: Search): BuildSearch {
  return {
    tab: readOne(tab, BUILD_TABS),
    outcome: readList(outcome, TEST_OUTCOMES),
    q: readText(q),
    sort: readOne(sort, BUILD_TEST_SORTS),
  }
}

/** `/quarantine?ended=true`. */
export interface QuarantineSearch {
  ended?: 'true' | undefined
}

export function parseQuarantineSearch({ ended }: Search): QuarantineSearch {
  return { ended: readOne(ended, ['true']) }
}

/** `/manage/audit?q=…&kind=station&id=…&by=…`. */
export interface AuditSearch {
  q?: string | undefined
  kind?: AuditSubject | undefined
  /** What was changed. */
  id?: string | undefined
  /** Who changed it. */
  by?: string | undefined
}

export function parseAuditSearch({ q, kind, id, by }: Search): AuditSearch {
  return { q: readText(q), kind: readOne(kind, AUDIT_SUBJECTS), id: readText(id), by: readText(by) }
}

export const TEST_SORTS = ['flaky', 'failing', 'slow', 'slower', 'cost', 'name'] as const
export const TEST_DAYS = ['7', '14', '30', '90', '365'] as const

/** `/tests?sort=failing&state=broken&owner=…&days=30`. */
export interface TestListSearch {
  sort?: (typeof TEST_SORTS)[number] | undefined
  state?: TestState[] | undefined
  owner?: string | undefined
  tag?: string | undefined
  file?: string | undefined
  project?: string | undefined
  q?: string | undefined
  days?: (typeof TEST_DAYS)[number] | undefined
}

export function parseTestListSearch({
  sort,
  state,
  owner,
  tag,
  file,
  project,
  q,
  days,
}: Search): TestListSearch {
  return {
    sort: readOne(sort, TEST_SORTS),
    state: readList(state, TEST_STATES),
    owner: readText(owner),
    tag: readText(tag),
    file: readText(file),
    project: readText(project),
    q: readText(q),
    days: readOne(days, TEST_DAYS),
  }
}

/** `/tests/find?q=…&file=…&project=…`, the procedure being that of the scope: one test by its name. */
export interface TestFinderSearch {
  q?: string | undefined
  file?: string | undefined
  project?: string | undefined
}

export function parseTestFinderSearch({ q, file, project }: Search): TestFinderSearch {
  return { q: readText(q), file: readText(file), project: readText(project) }
}

/** `/tests/<id>?environment=…`; the branch is that of the scope. */
export interface TestSearch {
  environment?: string | undefined
}

export function parseTestSearch({ environment }: Search): TestSearch {
  return { environment: readText(environment) }
}

/** `/compare?base_branch=main&head=…`: each side is a build or a branch. */
export interface CompareSearch {
  base?: string | undefined
  base_branch?: string | undefined
  head?: string | undefined
  head_branch?: string | undefined
}

export function parseCompareSearch({ base, base_branch, head, head_branch }: Search): CompareSearch {
  return {
    base: readText(base),
    base_branch: readText(base_branch),
    head: readText(head),
    head_branch: readText(head_branch),
  }
}

export const ERROR_SORTS = ['last_run', 'first_run', 'count', 'tests'] as const

/** `/errors?sort=count&q=…&owner=…`. */
export interface ErrorListSearch {
  sort?: (typeof ERROR_SORTS)[number] | undefined
  q?: string | undefined
  owner?: string | undefined
  tag?: string | undefined
}

export function parseErrorListSearch({ sort, q, owner, tag }: Search): ErrorListSearch {
  return { sort: readOne(sort, ERROR_SORTS), q: readText(q), owner: readText(owner), tag: readText(tag) }
}

/** `/parts/<number>?revision=…`. */
export interface PartSearch {
  revision?: string | undefined
}

export function parsePartSearch({ revision }: Search): PartSearch {
  return { revision: readText(revision) }
}

/** `/station?unit=…`: the unit that was scanned last. */
export interface BenchSearch {
  unit?: string | undefined
}

export function parseBenchSearch({ unit }: Search): BenchSearch {
  return { unit: readText(unit) }
}
