import type { HomeLine } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { formatPercent } from '../../format/rate'
import { lineLink, lineProcedureLink } from '../../line-links'
import { batchLink } from '../../unit-links'
import { ROW_LINK } from '../../navigation/keys'
import { Defined } from '../../parts/definitions'
import { Card } from '../../ui/card'
import { RelativeTime } from '../../ui/time-text'

/** Each procedure of a production line: its first-pass yield and its last run. */
export function LineRows({ lines }: { lines: HomeLine[] }) {
  return (
    <Card
      title="Production"
      aside={
        <Link {...lineLink()} className="text-sm">
          Line
        </Link>
      }
    >
      <ul className="divide-y divide-line">
        {lines.map(
          ({
            procedure,
            units_tested: units,
            first_pass: { passed, of },
            worst_batch: worst,
            last_run_at: lastRunAt,
          }) => (
            <li key={procedure.id} className="flex flex-wrap items-baseline gap-x-6 gap-y-1 px-4 py-3">
              <Link {...lineProcedureLink(procedure.id)} {...ROW_LINK} className="min-w-40 font-semibold">
                {procedure.name}
              </Link>
              <span className="numeric">
                <span className="text-base font-semibold">{of === 0 ? '–' : formatPercent(passed / of)}</span>{' '}
                <span className="text-sm text-soft">
                  <Defined as="firstPass">first-pass yield</Defined>, {passed.toLocaleString('en')} of{' '}
                  {formatCount(of, 'unit')}
                </span>
              </span>
              {units !== of && (
                <span className="text-sm text-soft">{formatCount(units, 'unit')} tested in 28 days</span>
              )}
              {worst !== null && (
                <span className="text-sm text-soft">
                  <Defined as="worstBatch">worst batch</Defined>{' '}
                  <Link {...batchLink(worst.number)}>{worst.number}</Link>,{' '}
                  {formatPercent(worst.passed / worst.of)}, {worst.passed.toLocaleString('en')} of{' '}
                  {formatCount(worst.of, 'unit')}
                </span>
              )}
              <span className="ml-auto text-sm text-soft">
                last run <RelativeTime at={lastRunAt} />
              </span>
            </li>
          ),
        )}
      </ul>
    </Card>
  )
}
