import { LEAST_BATCH_UNITS, type YieldGroup, type YieldRow } from '@runledger/protocol'
import { runListLink } from '../../links'
import { EMPTY_FILTER } from '../../run-filter'

const MS_PER_DAY = 86_400_000
const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** The name of a row: `27 Nov 2026`, `Week of 23 Nov 2026`, the name of a batch, or `no batch`. */
export function nameRow(by: YieldGroup, key: string | null): string {
  if (key === null) return `no ${by}`
  if (by === 'day') return DATE.format(Date.parse(key))
  return by === 'week' ? `Week of ${DATE.format(Date.parse(key))}` : key
}

/** The row with the lowest first-pass yield among those with enough units; undefined if all of them passed. */
export function findWorst(rows: readonly YieldRow[]): YieldRow | undefined {
  const rateOf = ({ first_pass: first }: YieldRow) => first.rate ?? 1
  const [worst] = rows
    .filter(({ key, first_pass: first }) => key !== null && first.of >= LEAST_BATCH_UNITS)
    .toSorted((one, other) => rateOf(one) - rateOf(other))
  return worst && rateOf(worst) < 1 ? worst : undefined
}

/** The failed runs of a row, where the list of runs has a filter for it. */
export function failedRunsLink(procedure: string, by: YieldGroup, row: Pick<YieldRow, 'key' | 'id'>) {
  const filter = findFilter(by, row)
  return (
    filter && runListLink({ ...EMPTY_FILTER, procedure, outcomes: ['FAIL', 'ERROR', 'TIMEOUT'], ...filter })
  )
}

function findFilter(by: YieldGroup, { key, id }: Pick<YieldRow, 'key' | 'id'>) {
  if (key === null) return undefined
  if (by === 'batch') return { batch: key }
  if (by === 'station') return id === null ? undefined : { station: id }
  if (by === 'day') return { after: key, before: key }
  if (by === 'week') return { after: key, before: addDays(key, 6) }
  return undefined
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * MS_PER_DAY).toISOString().slice(0, 10)
}
