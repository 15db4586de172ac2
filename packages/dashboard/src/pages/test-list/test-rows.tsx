import type { TestListItem } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DEFINITIONS, type DefinitionName } from '../../definitions'
import { formatInterval, formatMinutes, formatMs, formatRate, formatRatio } from '../../format/rate'
import { buildLink } from '../../history-links'
import { Defined } from '../../parts/definitions'
import { OwnerLink } from '../../parts/noun-links'
import { RecentBars } from '../../parts/recent-bars'
import { describePlace, StateBadge, TestName } from '../../parts/test-name'

const COLUMNS = 'lg:grid lg:grid-cols-[minmax(0,3fr)_6rem_minmax(0,1.5fr)_8.5rem_5.5rem_6rem_6rem] lg:gap-x-3'

/** Tests as a table, which turns into cards where it is narrow. */
export function TestRows({ tests }: { tests: TestListItem[] }) {
  return (
    <div role="table" aria-label="Tests" className="overflow-hidden rounded-lg border border-line bg-surface">
      <div role="rowgroup" className="sr-only lg:not-sr-only">
        <div role="row" className={`border-b border-line bg-sunken px-4 py-2 text-sm text-soft ${COLUMNS}`}>
          <span role="columnheader">Test</span>
          <Head as="state">State</Head>
          <span role="columnheader">Last 60 results</span>
          <Head as="failures">Fails</Head>
          <Head as="flakes">Flaky</Head>
          <Head as="median">Median, mean</Head>
          <Head as="change">Change</Head>
        </div>
      </div>
      <div role="rowgroup" className="divide-y divide-line">
        {tests.map((test) => (
          <TestRow key={test.id} test={test} />
        ))}
      </div>
    </div>
  )
}

function Head({ as, children }: { as: DefinitionName; children: string }) {
  return (
    <span role="columnheader">
      <Defined as={as}>{children}</Defined>
    </span>
  )
}

function TestRow({ test }: { test: TestListItem }) {
  return (
    <div
      role="row"
      className={`grid grid-cols-2 gap-x-4 gap-y-2 px-4 py-3 hover:bg-sunken sm:grid-cols-4 ${COLUMNS}`}
    >
      <span role="cell" className="col-span-full min-w-0 lg:col-span-1">
        <TestName test={test} /> {test.owner !== null && <OwnerLink owner={test.owner} />}
        <span className="block text-sm wrap-anywhere text-soft">{describePlace(test)}</span>
      </span>
      <span role="cell">
        <StateBadge state={test.state} />
      </span>
      <span role="cell" className="min-w-0">
        <RecentBars recent={test.recent} />
      </span>
      <Number label="Fails" value={formatRate(test.failures)} note={formatInterval(test.failures)} />
      <Number
        label="Flaky"
        value={formatRate(test.flakes)}
        note={
          test.cost_minutes >= 1 ? (
            <span title={DEFINITIONS.cost}>cost {formatMinutes(test.cost_minutes)}</span>
          ) : (
            `n = ${test.flakes.of.toLocaleString('en')}`
          )
        }
      />
      <Number label="Median" value={formatMs(test.p50_ms)} note={`mean ${formatMs(test.mean_ms)}`} />
      <Change change={test.change} />
    </div>
  )
}

function Number({ label, value, note }: { label: string; value: string; note: ReactNode }) {
  return (
    <span role="cell" className="numeric">
      <span className="text-sm text-soft lg:sr-only">{label} </span>
      {value}
      <span className="block text-xs text-soft">{note}</span>
    </span>
  )
}

function Change({ change }: Pick<TestListItem, 'change'>) {
  return (
    <span role="cell" className="numeric">
      {change === null ? (
        <span className="text-sm text-soft max-lg:hidden">none</span>
      ) : (
        <>
          <span className={change.ratio > 0 ? 'font-medium text-bad' : 'text-good'}>
            {formatRatio(change)} {change.ratio > 0 ? 'slower' : 'faster'}
          </span>
          {change.build !== null && (
            <Link {...buildLink(change.build.group)} className="block text-xs">
              since this build
            </Link>
          )}
        </>
      )}
    </span>
  )
}
