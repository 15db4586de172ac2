import type { LineFailure, LineFailureList } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { nameMeasurement } from '../../format/line'
import { formatInterval, formatPercent, formatRate } from '../../format/rate'
import { namedMeasurementLink } from '../../line-links'
import type { LineDays } from '../../line-search'
import { ROW_LINK } from '../../navigation/keys'
import { Defined } from '../../parts/definitions'
import { Card } from '../../ui/card'

const COLUMNS =
  'md:grid md:grid-cols-[minmax(0,1.4fr)_6rem_minmax(10rem,1fr)_minmax(8rem,1.2fr)_6rem] md:items-center md:gap-x-4'

interface Shown {
  failures: LineFailureList
  days: LineDays
}

/** The measurements that fail, the one that fails most first, and below them those that do not. */
export function FailingMeasurements({ failures, days }: Shown) {
  const failing = failures.data.filter(({ failures: { count } }) => count > 0)
  const others = failures.data.filter(({ failures: { count } }) => count === 0)
  return (
    <Card title="What fails">
      {failing.length === 0 ? (
        <p className="px-4 py-3 text-soft">
          {failures.data.length === 0
            ? `Nothing was measured in the last ${days} days. Choose a longer period above.`
            : `No measurement failed in the last ${days} days.`}
        </p>
      ) : (
        <FailureTable procedure={failures.procedure.id} rows={failing} days={days} />
      )}
      {others.length > 0 && (
        <details className="border-t border-line px-4 py-2 text-sm" open={failing.length === 0}>
          <summary className="text-soft hover:text-ink">
            {formatCount(others.length, 'measurement')} without a failure
          </summary>
          <ul className="mt-1 grid gap-x-4 sm:grid-cols-2 lg:grid-cols-3">
            {others.map((one) => (
              <li key={keyOf(one)} className="py-0.5">
                <Name procedure={failures.procedure.id} failure={one} days={days} />{' '}
                <span className="text-soft">n = {one.failures.of.toLocaleString('en')}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  )
}

const keyOf = ({ phase, measurement, unit }: LineFailure) => [phase, measurement, unit].join('\u0000')

function Name({ procedure, failure, days }: { procedure: string; failure: LineFailure; days: LineDays }) {
  const { phase, measurement } = failure
  const name = nameMeasurement(failure)
  return (
    <>
      {failure.has_numbers ? (
        <Link
          {...namedMeasurementLink(procedure, failure, days)}
          {...ROW_LINK}
          className="font-medium wrap-anywhere"
        >
          {name}
        </Link>
      ) : (
        <span className="font-medium wrap-anywhere">{name}</span>
      )}
      {measurement !== null && measurement !== phase && (
        <span className="text-sm wrap-anywhere text-soft"> in {phase}</span>
      )}
    </>
  )
}

function FailureTable({ procedure, rows, days }: { procedure: string; rows: LineFailure[]; days: LineDays }) {
  return (
    <div role="table" aria-label="Measurements that fail">
      <div role="rowgroup" className="sr-only md:not-sr-only">
        <div role="row" className={`border-b border-line px-4 py-1.5 text-sm text-soft ${COLUMNS}`}>
          <span role="columnheader">Measurement</span>
          <span role="columnheader">Failures</span>
          <span role="columnheader">Fails</span>
          <span role="columnheader">
            <Defined as="pareto">Share of all failures</Defined>
          </span>
          <span role="columnheader">Cumulative</span>
        </div>
      </div>
      <div role="rowgroup" className="divide-y divide-line">
        {rows.map((row) => (
          <FailureRow key={keyOf(row)} procedure={procedure} row={row} days={days} />
        ))}
      </div>
    </div>
  )
}

function FailureRow({ procedure, row, days }: { procedure: string; row: LineFailure; days: LineDays }) {
  const { failures, share, cumulative } = row
  return (
    <div role="row" className={`grid grid-cols-2 gap-x-4 gap-y-1 px-4 py-2 hover:bg-sunken ${COLUMNS}`}>
      <span role="rowheader" className="col-span-full min-w-0 md:col-span-1">
        <Name procedure={procedure} failure={row} days={days} />
      </span>
      <span role="cell" className="numeric">
        <span className="text-sm text-soft md:sr-only">Failures </span>
        {failures.count.toLocaleString('en')}
      </span>
      <span role="cell" className="numeric">
        {formatRate(failures)}
        <span className="block text-xs text-soft">{formatInterval(failures)}</span>
      </span>
      <span role="cell" className="numeric flex items-center gap-2">
        <span aria-hidden className="h-3 grow rounded-sm bg-sunken">
          <span className="block h-3 rounded-sm bg-bad opacity-70" style={{ width: `${share * 100}%` }} />
        </span>
        <span className="w-12 text-right">{formatPercent(share)}</span>
      </span>
      <span role="cell" className="numeric">
        <span className="text-sm text-soft md:sr-only">Cumulative </span>
        {formatPercent(cumulative)}
      </span>
    </div>
  )
}
