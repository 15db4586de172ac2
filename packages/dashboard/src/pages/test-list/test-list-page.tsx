import { TEST_STATES } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { testListQuery } from '../../api/history'
import { quarantineLink, testListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import type { Scope, TEST_DAYS, TEST_SORTS, TestListSearch } from '../../page-search'
import { Definitions } from '../../parts/definitions'
import { FilterChips } from '../../parts/filter-chips'
import { PageHead } from '../../parts/page-head'
import { STATE_LOOKS } from '../../parts/test-name'
import { Unread } from '../../parts/unread'
import { buttonClass } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { Choice } from '../../ui/picker'
import { SearchField } from '../../ui/search-field'
import { Toggles } from '../../ui/toggles'
import { TestRows } from './test-rows'

const SORT_WORDS: Record<(typeof TEST_SORTS)[number], string> = {
  flaky: 'Flaky first',
  failing: 'Fail most first',
  slow: 'Slowest first',
  slower: 'Got slower first',
  cost: 'Cost most first',
  name: 'By name',
}

export function TestListPage() {
  const search = useSearch({ from: '/tests' })
  const navigate = useNavigate()
  useListKeys()
  const change = (part: TestListSearch) => void navigate(testListLink({ ...search, ...part }))
  const { state = [], q = '', sort = 'flaky', days = '14' } = search
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="Tests">
        <Link {...quarantineLink()} className={buttonClass()}>
          Quarantine
        </Link>
      </PageHead>
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          key={q}
          label="Search tests"
          placeholder="Name or file of a test"
          value={q}
          onSearch={(text) => change({ q: text })}
        />
        <Toggles
          label="State"
          values={TEST_STATES}
          chosen={state}
          wordOf={(one) => STATE_LOOKS[one].word}
          onChange={(chosen) => change({ state: chosen })}
        />
        <Choice label="Sort by" value={sort} words={SORT_WORDS} onChoose={(one) => change({ sort: one })} />
        <Choice label="Period" value={days} words={DAY_WORDS} onChoose={(one) => change({ days: one })} />
      </div>
      <FilterChips labels={FACETS} values={search} onRemove={(name) => change({ [name]: undefined })} />
      <TestList search={search} />
    </div>
  )
}

const DAY_WORDS: Record<(typeof TEST_DAYS)[number], string> = {
  '7': '7 days',
  '14': '14 days',
  '30': '30 days',
  '90': '90 days',
  '365': '365 days',
}

const FACETS = { owner: 'Owner', tag: 'Tag', file: 'File', project: 'Project of the framework' } as const

function TestList({ search }: { search: TestListSearch & Scope }) {
  const { sort = 'flaky', days = '14' } = search
  const read = useInfiniteQuery(
    testListQuery({
      sort_by: sort,
      sort_order: sort === 'name' ? 'asc' : 'desc',
      days: Number(days),
      branch: search.branch,
      procedure_ids: search.procedure,
      states: search.state,
      owners: search.owner,
      tags: search.tag,
      files: search.file,
      projects: search.project,
      search_query: search.q,
    }),
  )
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the tests"
        title="The tests could not be read"
        rows={10}
        rowClass="h-16"
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
