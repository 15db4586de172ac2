import { type BuildTest, TEST_OUTCOMES, type TestOutcome } from '@runledger/protocol'
import { firstLine } from '@runledger/protocol/reading'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { buildTestsQuery } from '../../api/history'
import { formatMs } from '../../format/rate'
import { buildLink, errorLink } from '../../history-links'
import { Picker } from '../../navigation/scope-pickers'
import { BUILD_TEST_SORTS, type BuildSearch } from '../../page-search'
import { OwnerLink } from '../../parts/noun-links'
import { TEST_OUTCOME_LOOKS, TestOutcomeBadge } from '../../parts/outcome-badge'
import { describePlace, RunOf, TestName } from '../../parts/test-name'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { ErrorState } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { Loading } from '../../ui/loading'
import { SearchField } from '../../ui/search-field'

const SORT_WORDS = { outcome: 'Failed first', duration: 'Longest first', name: 'By name' }

/** All tests of the build with their results, failed ones first, searchable. */
export function BuildTests({ group }: { group: string }) {
  const { outcome = [], q = '', sort } = useSearch({ from: '/builds/$group' })
  const navigate = useNavigate()
  const change = (part: BuildSearch) =>
    void navigate({
      ...buildLink(group, { tab: 'tests', outcome, q: q === '' ? undefined : q, sort, ...part }),
      replace: true,
      resetScroll: false,
    })
  const toggle = (one: TestOutcome) =>
    change({ outcome: outcome.includes(one) ? outcome.filter((other) => other !== one) : [...outcome, one] })
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          key={q}
          label="Search the tests of this build"
          placeholder="Name or file of a test"
          value={q}
          onSearch={(text) => change({ q: text.trim() === '' ? undefined : text.trim() })}
        />
        <div role="group" aria-label="Outcome" className="flex flex-wrap gap-1.5">
          {TEST_OUTCOMES.map((one) => (
            <Button key={one} pressed={outcome.includes(one)} onClick={() => toggle(one)}>
              {TEST_OUTCOME_LOOKS[one].word}
            </Button>
          ))}
        </div>
        <Picker
          label="Sort by"
          all=""
          value={sort ?? 'outcome'}
          options={BUILD_TEST_SORTS.map((one) => ({ value: one, text: SORT_WORDS[one] }))}
          onChoose={(value) => change({ sort: BUILD_TEST_SORTS.find((one) => one === value) })}
        />
      </div>
      <TestTable group={group} filter={{ outcome, q, sort: sort ?? 'outcome' }} />
    </>
  )
}

interface TestTableProps {
  group: string
  filter: { outcome: TestOutcome[]; q: string; sort: (typeof BUILD_TEST_SORTS)[number] }
}

function TestTable({ group, filter: { outcome, q, sort } }: TestTableProps) {
  const read = useInfiniteQuery(
    buildTestsQuery(group, {
      outcomes: outcome.length > 0 ? outcome : undefined,
      search_query: q === '' ? undefined : q,
      sort_by: sort,
      sort_order: sort === 'name' ? 'asc' : 'desc',
    }),
  )
  if (read.isPending) return <Loading label="Reading the tests" rows={10} rowClass="h-12" />
  if (!read.data) {
    return (
      <ErrorState
        title="The tests could not be read"
        error={read.error}
        onRetry={() => void read.refetch()}
      />
    )
  }
  const tests = read.data.pages.flatMap(({ data }) => data)
  if (tests.length === 0) {
    return (
      <EmptyState icon={SearchX} title="No test of this build matches">
        <p className="text-soft">Take an outcome away, or search for less.</p>
      </EmptyState>
    )
  }
  return (
    <>
      <ul
        aria-label="Tests"
        className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface"
      >
        {tests.map((one, index) => (
          <TestRow key={`${one.run_id} ${one.test.id} ${index}`} result={one} />
        ))}
      </ul>
      <LoadMore read={read} word="Show more tests" />
    </>
  )
}

function TestRow({ result }: { result: BuildTest }) {
  const { test, run_id: runId, outcome, duration_ms: duration, owner, error } = result
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2 hover:bg-sunken md:flex-nowrap">
      <span className="w-24 shrink-0">
        <TestOutcomeBadge outcome={outcome} />
      </span>
      <span className="min-w-0 max-md:order-last max-md:w-full md:grow">
        <TestName test={test} /> {owner && <OwnerLink owner={owner} />}
        <span className="block text-sm wrap-anywhere text-soft">{describePlace(test)}</span>
        {error && (
          <Link
            {...errorLink(error.fingerprint)}
            className="block truncate font-mono text-sm text-bad"
            title={error.message}
          >
            {firstLine(error.message)}
          </Link>
        )}
      </span>
      <span className="max-md:ml-auto">
        <RunOf runId={runId} name={test.name} />
      </span>
      <span className="numeric w-20 shrink-0 text-right">{formatMs(duration)}</span>
    </li>
  )
}
