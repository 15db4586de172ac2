import { Link, type LinkOptions } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ROW_LINK } from '../navigation/keys'
import { RelativeTime } from '../ui/time-text'

const COLUMNS =
  'md:grid md:grid-cols-[8rem_minmax(0,3fr)_minmax(0,2fr)_6rem_8rem] md:items-baseline md:gap-x-4'

interface TimedTableProps {
  label: string
  /** Of the first three columns; the others are duration and start. */
  heads: readonly [string, string, string]
  children: ReactNode
}

/** Runs or builds as a table, which turns into cards where it is narrow. */
export function TimedTable({ label, heads, children }: TimedTableProps) {
  return (
    <div role="table" aria-label={label} className="overflow-hidden rounded-lg border border-line bg-surface">
      <div role="rowgroup" className="sr-only md:not-sr-only">
        <div role="row" className={`border-b border-line bg-sunken px-4 py-2 text-sm text-soft ${COLUMNS}`}>
          {heads.map((head) => (
            <span key={head} role="columnheader">
              {head}
            </span>
          ))}
          <span role="columnheader" className="md:text-right">
            Duration
          </span>
          <span role="columnheader" className="md:text-right">
            Started
          </span>
        </div>
      </div>
      <div role="rowgroup" className="divide-y divide-line">
        {children}
      </div>
    </div>
  )
}

interface TimedRowProps {
  badge: ReactNode
  /** The cell that begins with the row's name. */
  name: ReactNode
  about: ReactNode
  duration: string
  startedAt: string
}

export function TimedRow({ badge, name, about, duration, startedAt }: TimedRowProps) {
  return (
    <div
      role="row"
      className={`relative flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken ${COLUMNS}`}
    >
      <span role="cell" className="order-1">
        {badge}
      </span>
      <span role="cell" className="order-4 w-full min-w-0 md:order-2 md:w-auto">
        {name}
      </span>
      <span role="cell" className="order-5 w-full min-w-0 md:order-3 md:w-auto">
        {about}
      </span>
      <span role="cell" className="numeric order-2 ml-auto md:order-4 md:ml-0 md:text-right">
        {duration}
      </span>
      <span role="cell" className="order-3 text-soft md:order-5 md:text-right">
        <RelativeTime at={startedAt} />
      </span>
    </div>
  )
}

/** The name of a row: its link covers the whole of it. */
export function RowName({ link, children }: { link: LinkOptions; children: ReactNode }) {
  return (
    <Link
      {...link}
      {...ROW_LINK}
      className="block font-medium wrap-anywhere no-underline after:absolute after:inset-0 after:content-['']"
    >
      {children}
    </Link>
  )
}
