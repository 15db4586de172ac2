import { type BuildTest, TEST_OUTCOMES } from '@runledger/protocol'
import { firstLine } from '@runledger/presentation'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { buildTestsQuery } from '../../api/history'
import { formatMs } from '../../format/rate'
import { buildLink, errorLink } from '../../history-links'
import type { BuildSearch } from '../../page-search'
import { OwnerLink } from '../../parts/noun-links'
import { TEST_OUTCOME_LOOKS, TestOutcomeBadge } from '../../parts/outcome-badge'
import { describePlace, RunOf, TestName } from '../../parts/test-name'
import { Unread } from '../../parts/unread'
import { EmptyState } from '../../ui/empty-state'
import { LoadMore } from '../../ui/load-more'
import { Choice } from '../../ui/picker'
import { SearchField } from '../../ui/search-field'
import { Toggles } from '../../ui/toggles'

const SORT_WORDS = { outcome: 'Failed first', duration: 'Longest first', name: 'By name' }

export function BuildTests({ group }: { group: string }) {
  const search = useSearch({ from: '/builds/$group' })
  const { outcome = [], q = '', sort = 'outcome' } = search
  const navigate = useNavigate()
  const change = (part: BuildSearch) =>
    void navigate({
      ...buildLink(group, { ...search, tab: 'tests', ...part }),
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          key={q}
          label="Search the tests of this build"
          placeholder="Name or file of a test"
          value={q}
          onSearch={(text) => change({ q: text })}
        />
        <Toggles
          label="Outcome"
          values={TEST_OUTCOMES}
          chosen={outcome}
          wordOf={(one) => TEST_OUTCOME_LOOKS[one].word}
          onChange={(chosen) => change({ outcome: chosen })}
        />
        <Choice label="Sort by" value={sort} words={SORT_WORDS} onChoose={(one) => change({ sort: one })} />
      </div>
      <TestTable group={group} search={search} />
    </>
  )
}

function TestTable({ group, search }: { group: string; search: BuildSearch }) {
  const { outcome, q, sort = 'outcome' } = search
  const read = useInfiniteQuery(
    buildTestsQuery(group, {
      outcomes: outcome,
      search_query: q,
      sort_by: sort,
      sort_order: sort === 'name' ? 'asc' : 'desc',
    }),
  )
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the tests"
        title="The tests could not be read"
        rows={10}
        rowClass="h-12"
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
