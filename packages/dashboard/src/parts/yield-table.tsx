import type { Rate, RolledYields } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { rolledYieldsQuery, type YieldsWanted } from '../api/units'
import { formatInterval, formatPercent, formatRate } from '../format/rate'
import { Card } from '../ui/card'
import { Defined } from './definitions'
import { ProcedureLink } from './noun-links'
import { Unread } from './unread'

interface YieldTableProps {
  title: string
  /** Whose yields: of a part, a batch or a station. */
  of: YieldsWanted
  /** What the other units are called, where they stand beside: `other batches`. */
  others?: string
  /** Whether the product over the procedures means something. */
  isRolled?: boolean
}

const COLUMNS =
  'md:grid md:grid-cols-[minmax(0,2fr)_minmax(0,2fr)_minmax(0,2fr)_minmax(0,2fr)_5rem] md:items-baseline md:gap-x-4'

/** The yields of each procedure, with their samples, beside those of other units. */
export function YieldTable({ of, ...shown }: YieldTableProps) {
  const read = useQuery(rolledYieldsQuery(of))
  if (read.data) return <Yields yields={read.data} {...shown} />
  return (
    <Unread
      read={read}
      label="Reading the yields"
      title="The yields could not be read"
      rows={3}
      rowClass="h-9"
    />
  )
}

function Yields({
  title,
  yields,
  others,
  isRolled = false,
}: Omit<YieldTableProps, 'of'> & { yields: RolledYields }) {
  const { data, rolled, days } = yields
  if (data.length === 0)
    return (
      <Card title={title}>
        <p className="px-4 py-3 text-soft">No unit was tested in the last {days} days.</p>
      </Card>
    )
  const heads = ['Procedure', 'First pass', 'Last pass', others ?? 'Second pass', 'Runs']
  return (
    <Card title={title} aside={<span className="text-sm text-soft">last {days} days</span>}>
      <div role="table" aria-label={title}>
        <div role="rowgroup" className="sr-only md:not-sr-only">
          <div role="row" className={`border-b border-line bg-sunken px-4 py-2 text-sm text-soft ${COLUMNS}`}>
            {heads.map((head) => (
              <span key={head} role="columnheader" className="first-letter:uppercase">
                {head}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="divide-y divide-line">
          {data.map((row) => (
            <div key={row.procedure.id} role="row" className={`px-4 py-2 ${COLUMNS}`}>
              <span role="cell" className="block font-medium">
                <ProcedureLink id={row.procedure.id} name={row.procedure.name} />
              </span>
              <RateCell name="First pass" rate={row.first_pass} />
              <RateCell name="Last pass" rate={row.last_pass} />
              <RateCell
                name={others ?? 'Second pass'}
                rate={others === undefined ? row.second_pass : row.others}
              />
              <span role="cell" className="numeric text-sm text-soft">
                {row.runs.of.toLocaleString('en')}
                <span className="md:hidden"> runs</span>
              </span>
            </div>
          ))}
        </div>
      </div>
      {isRolled && rolled.first_pass !== null && (
        <p className="border-t border-line px-4 py-2 text-sm">
          <Defined as="rolledYield">Rolled yield</Defined>:{' '}
          <span className="numeric font-semibold">{formatPercent(rolled.first_pass)}</span> first pass
          {rolled.last_pass !== null && `, ${formatPercent(rolled.last_pass)} last pass`}
        </p>
      )}
    </Card>
  )
}

function RateCell({ name, rate }: { name: string; rate: Rate }) {
  return (
    <span role="cell" className="block">
      <span className="text-sm text-soft md:hidden">{name} </span>
      <span className="numeric font-semibold">{formatRate(rate)}</span>{' '}
      <span className="numeric text-sm text-soft">{formatInterval(rate)}</span>
    </span>
  )
}
