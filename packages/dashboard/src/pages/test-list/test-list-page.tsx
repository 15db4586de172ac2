import { TEST_STATES, type TestState } from '@runledger/protocol'
import { formatCount } from '@runledger/protocol/reading'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { isSignInNeeded } from '../../api/api-error'
import { testListQuery } from '../../api/history'
import { testListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import { Picker } from '../../navigation/scope-pickers'
import { type Scope, TEST_DAYS, TEST_SORTS, type TestListSearch } from '../../page-search'
import { Definitions } from '../../parts/definitions'
import { FilterChips } from '../../parts/filter-chips'
import { PageHead } from '../../parts/page-head'
import { STATE_LOOKS } from '../../parts/test-name'
import { Button, buttonClass } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { ErrorState, StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { Loading } from '../../ui/loading'
import { SearchField } from '../../ui/search-field'
import { TestRows } from './test-rows'

const SORT_WORDS: Record<(typeof TEST_SORTS)[number], string> = {
  flaky: 'Flaky first',
  failing: 'Fail most first',
  slow: 'Slowest first',
  slower: 'Got slower first',
  cost: 'Cost most first',
  name: 'By name',
}

/** Tests with how often they fail, how flaky and how slow they are. */
export function TestListPage() {
  const search = useSearch({ from: '/tests' })
  const navigate = useNavigate()
  useListKeys()
  const change = (part: TestListSearch) => void navigate(testListLink({ ...search, ...part }))
  const { state = [], q = '', sort, days } = search
  const toggle = (one: TestState) =>
    change({ state: state.includes(one) ? state.filter((other) => other !== one) : [...state, one] })
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="Tests" />
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          key={q}
          label="Search tests"
          placeholder="Name or file of a test"
          value={q}
          onSearch={(text) => change({ q: text.trim() === '' ? undefined : text.trim() })}
        />
        <div role="group" aria-label="State" className="flex flex-wrap gap-1.5">
          {TEST_STATES.map((one) => (
            <Button key={one} pressed={state.includes(one)} onClick={() => toggle(one)}>
              {STATE_LOOKS[one].word}
            </Button>
          ))}
        </div>
        <Picker
          label="Sort by"
          all=""
          value={sort ?? 'flaky'}
          options={TEST_SORTS.map((one) => ({ value: one, text: SORT_WORDS[one] }))}
          onChoose={(value) => change({ sort: TEST_SORTS.find((one) => one === value) })}
        />
        <Picker
          label="Period"
          all=""
          value={days ?? '14'}
          options={TEST_DAYS.map((one) => ({ value: one, text: `${one} days` }))}
          onChoose={(value) => change({ days: TEST_DAYS.find((one) => one === value) })}
        />
      </div>
      <FilterChips chips={listChips(search, change)} />
      <TestList search={search} />
    </div>
  )
}

const FACETS = { owner: 'Owner', tag: 'Tag', file: 'File', project: 'Project of the framework' } as const

function listChips(search: TestListSearch, change: (part: TestListSearch) => void) {
  return (Object.keys(FACETS) as (keyof typeof FACETS)[]).flatMap((name) => {
    const value = search[name]
    return value === undefined
      ? []
      : [{ label: FACETS[name], value, onRemove: () => change({ [name]: undefined }) }]
  })
}

function TestList({ search }: { search: TestListSearch & Scope }) {
  const { sort = 'flaky', days = '14' } = search
  const read = useInfiniteQuery(
    testListQuery({
      sort_by: sort,
      sort_order: sort === 'name' ? 'asc' : 'desc',
      days: Number(days),
      branch: search.branch,
      procedure_ids: listOf(search.procedure),
      states: search.state,
      owners: listOf(search.owner),
      tags: listOf(search.tag),
      files: listOf(search.file),
      projects: listOf(search.project),
      search_query: search.q,
    }),
  )
  if (read.isPending || isSignInNeeded(read.error))
    return <Loading label="Reading the tests" rows={10} rowClass="h-16" />
  if (!read.data) {
    return (
      <ErrorState
        title="The tests could not be read"
        error={read.error}
        onRetry={() => void read.refetch()}
      />
    )
  }
  const [first] = read.data.pages
  const tests = read.data.pages.flatMap(({ data }) => data)
  if (!first || tests.length === 0) return <NoTests days={days} />
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <p className="text-sm text-soft">
        {formatCount(first.meta.total, 'test')} with results in the last {days} days
        {search.branch === undefined ? ', on all branches' : ` on ${search.branch}`}
      </p>
      <TestRows tests={tests} />
      <LoadMore read={read} word="Show more tests" />
      <Definitions
        of={['failures', 'flakes', 'interval', 'state', 'median', 'mean', 'change', 'cost', 'infrastructure']}
      />
    </>
  )
}

function listOf(value: string | undefined): string[] | undefined {
  return value === undefined ? undefined : [value]
}

function NoTests({ days }: { days: string }) {
  return (
    <EmptyState icon={FlaskConical} title="No test matches">
      <p className="max-w-prose text-soft">
        No test has results in the last {days} days that match. Choose a longer period, another branch, or
        take a filter away.
      </p>
      <Link
        {...testListLink({ procedure: undefined, branch: undefined, days: '365' })}
        className={buttonClass()}
      >
        Show all tests of a year
      </Link>
    </EmptyState>
  )
}
