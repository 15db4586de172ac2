import type { LineMeasurement } from '@runledger/protocol'
import { useState } from 'react'
import { formatAmount, formatDifference } from '../../format/line'
import type { Colouring } from '../../line-search'
import { Defined } from '../../parts/definitions'
import { Button } from '../../ui/button'
import { type ValueGroup } from './groups'
import { PointLook } from './point-looks'

const SHOWN_AT_FIRST = 8
const CELL = 'py-1.5 pr-3 sm:pr-4'

interface GroupTableProps {
  groups: readonly ValueGroup[]
  by: Colouring
  found: LineMeasurement
  onChoose: (name: string) => void
}

/** The mean of each batch, station or version, the one that differs most first. It is the key of the chart as well. */
export function GroupTable({ groups, by, found, onChoose }: GroupTableProps) {
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? groups : groups.slice(0, SHOWN_AT_FIRST)
  const sigma = found.control?.sigma
  return (
    <div className="overflow-x-auto border-t border-line px-4 py-3">
      <table aria-label={`Values by ${by}`} className="numeric w-full text-left text-sm">
        <thead className="text-soft">
          <tr>
            <Head>{by.charAt(0).toUpperCase() + by.slice(1)}</Head>
            <Head>{found.unit ? `Mean, ${found.unit}` : 'Mean'}</Head>
            <th scope="col" className={`${CELL} font-normal`}>
              <Defined as="groups">Difference</Defined>
            </th>
            <Head>n</Head>
            <Head>Failed</Head>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ name, look, mean, difference, n, failed }) => (
            <tr key={name ?? ''} className="border-t border-line">
              <th scope="row" className={`${CELL} font-normal wrap-anywhere`}>
                <PointLook look={look} />{' '}
                {name === null ? (
                  <span className="text-soft">no {by}</span>
                ) : (
                  <button
                    type="button"
                    title={`Only values of ${name}`}
                    onClick={() => onChoose(name)}
                    className="text-left text-accent underline underline-offset-[0.18em]"
                  >
                    {name}
                  </button>
                )}
              </th>
              <td className={`${CELL} whitespace-nowrap`}>{formatAmount(mean, null)}</td>
              <td className={CELL}>{describeDifference(difference, sigma)}</td>
              <td className={CELL}>{n.toLocaleString('en')}</td>
              <td className="py-1.5">{failed.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < groups.length && (
        <p className="pt-2">
          <Button onClick={() => setIsWhole(true)}>Show all {groups.length.toLocaleString('en')}</Button>
        </p>
      )}
    </div>
  )
}

function Head({ children }: { children: string }) {
  return (
    <th scope="col" className={`${CELL} font-normal`}>
      {children}
    </th>
  )
}

function describeDifference(difference: number | undefined, sigma: number | undefined): string {
  if (difference === undefined) return '–'
  const sigmas =
    sigma === undefined || sigma === 0 ? '' : ` (${formatDifference(difference / sigma, null)} σ)`
  return `${formatDifference(difference, null)}${sigmas}`
}
