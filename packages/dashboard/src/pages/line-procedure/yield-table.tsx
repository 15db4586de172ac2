import type { Rate, YieldList, YieldRow } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatYield, formatYieldInterval } from '../../format/line'
import { ROW_LINK } from '../../navigation/keys'
import { Button } from '../../ui/button'
import { failedRunsLink, findWorst, nameRow } from './yield-rows'

const COLUMNS =
  'md:grid md:grid-cols-[minmax(0,1.4fr)_minmax(6rem,1fr)_minmax(11rem,1.2fr)_6rem_6rem_6rem] md:items-center md:gap-x-4'
const SHOWN_AT_FIRST = 30

/** The yields of each row, the last first if rows follow in time, else by name. */
export function YieldTable({ yields: { by, data, procedure, has_more: hasMore } }: { yields: YieldList }) {
  const [isWhole, setIsWhole] = useState(false)
  const isTime = by === 'day' || by === 'week'
  const rows = isTime ? data.toReversed() : data
  const shown = isWhole ? rows : rows.slice(0, SHOWN_AT_FIRST)
  const worst = findWorst(data)
  const head = by.charAt(0).toUpperCase() + by.slice(1)
  return (
    <>
      <div role="table" aria-label={`Yields by ${by}`}>
        <div role="rowgroup" className="sr-only md:not-sr-only">
          <div role="row" className={`border-b border-line px-4 py-1.5 text-sm text-soft ${COLUMNS}`}>
            {[head, 'Interval', 'First pass, first run ever', 'Of the day', 'Second', 'Last'].map((word) => (
              <span key={word} role="columnheader">
                {word}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="divide-y divide-line">
          {shown.map((row) => (
            <Row
              key={row.id ?? row.key ?? ''}
              row={row}
              name={nameRow(by, row.key)}
              link={failedRunsLink(procedure.id, by, row)}
              isWorst={row === worst}
            />
          ))}
        </div>
      </div>
      {shown.length < rows.length && (
        <p className="border-t border-line px-4 py-2">
          <Button onClick={() => setIsWhole(true)}>Show all {rows.length.toLocaleString('en')} rows</Button>
        </p>
      )}
      {hasMore && (
        <p className="border-t border-line px-4 py-2 text-sm text-soft">
          Only the last 1,000 rows are here. Choose a shorter period to see others.
        </p>
      )}
    </>
  )
}

interface RowProps {
  row: YieldRow
  name: string
  link: ReturnType<typeof failedRunsLink>
  isWorst: boolean
}

function Row({ row, name, link, isWorst }: RowProps) {
  const { first_pass: first } = row
  return (
    <div
      role="row"
      className={`grid grid-cols-3 gap-x-4 gap-y-1 px-4 py-2 hover:bg-sunken ${isWorst ? 'bg-warn-tint' : ''} ${COLUMNS}`}
    >
      <span role="rowheader" className="col-span-full min-w-0 font-medium wrap-anywhere md:col-span-1">
        {link && first.count < first.of ? (
          <Link {...link} {...ROW_LINK} title={`Failed runs of ${name}`}>
            {name}
          </Link>
        ) : (
          name
        )}
      </span>
      <span role="cell" className="col-span-full md:col-span-1">
        <YieldBar rate={first} />
      </span>
      <span role="cell" className="numeric col-span-full md:col-span-1">
        <span className="font-semibold">{formatYield(first.rate)}</span>
        <span className="block text-xs text-soft">{formatYieldInterval(first)}</span>
      </span>
      <Other label="Of the day" rate={row.first_pass_of_day} />
      <Other label="Second" rate={row.second_pass} />
      <Other label="Last" rate={row.last_pass} />
    </div>
  )
}

function Other({ label, rate }: { label: string; rate: Rate }) {
  return (
    <span role="cell" className="numeric">
      <span className="block text-xs text-soft md:sr-only">{label} </span>
      {formatYield(rate.rate)}
      <span className="block text-xs text-soft">n = {rate.of.toLocaleString('en')}</span>
    </span>
  )
}

/** A yield from 0 to 100 % with its interval; the words beside it say the same. */
function YieldBar({ rate: { rate, low, high } }: { rate: Rate }) {
  if (rate === null || low === null || high === null) return null
  const at = (share: number) => `${share * 100}%`
  return (
    <span aria-hidden className="relative block h-3.5 overflow-hidden rounded-sm bg-sunken">
      <span className="absolute inset-y-0 left-0 bg-good opacity-50" style={{ width: at(rate) }} />
      <span className="absolute top-1/2 h-px bg-ink" style={{ left: at(low), width: at(high - low) }} />
      <span className="absolute inset-y-0.5 w-px bg-ink" style={{ left: at(low) }} />
      <span
        className="absolute inset-y-0.5 w-px bg-ink"
        style={{ left: `min(${at(high)}, calc(100% - 1px))` }}
      />
    </span>
  )
}
