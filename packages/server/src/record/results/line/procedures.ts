import {
  CHECKED_MEASUREMENTS,
  CHECKED_VALUES,
  LEAST_BATCH_UNITS,
  type LineProcedure,
  type LineProcedureList,
  type ListLineProceduresQuery,
  MAX_LINE_ROWS,
} from '@runledger/protocol'
import { findViolations, individualsChart } from '@runledger/statistics'
import type { StorageContext } from '../../../storage/context'
import type { Query } from '../../../storage/database/database'
import type { ProceduresTable } from '../../../storage/database/schema/units'
import { findKnownProcedure } from '../../catalogue/procedures/resolve-procedure'
import {
  IS_NO_SAMPLE,
  type MeasurementCount,
  type Period,
  readLineProcedures,
  readMeasurementCounts,
  readValues,
  readYieldCounts,
  type YieldCountsRow,
} from './read-store'
import { mapRate } from '../history/results'
import { findStart, mapFailure, mapProcedure, mapYields, rankFailures, sumCounts } from './yields'

export async function listLineProcedures(
  { database: { query }, clock }: Pick<StorageContext, 'database' | 'clock'>,
  { procedure_ids: names, days, limit }: ListLineProceduresQuery,
): Promise<LineProcedureList> {
  const asked = await Promise.all((names ?? []).map((name) => findKnownProcedure(query, name)))
  const ids = names === undefined ? undefined : asked.map(({ id }) => id)
  const found = await readLineProcedures(query, ids, limit + 1)
  const fromUs = findStart(clock(), days)
  return {
    days,
    data: await Promise.all(
      found
        .slice(0, limit)
        .map((procedure) => describeProcedure(query, procedure, { fromUs, checked: CHECKED_MEASUREMENTS })),
    ),
    has_more: found.length > limit,
  }
}

/** Checks whether the `checked` measurements that fail most are in control. */
export async function describeProcedure(
  query: Query,
  procedure: ProceduresTable,
  { fromUs, checked }: { fromUs: number; checked: number },
): Promise<LineProcedure> {
  const period = { procedureId: procedure.id, fromUs }
  const [yields, counts] = await Promise.all([
    readYieldCounts(query, period, 'batch'),
    readMeasurementCounts(query, period, MAX_LINE_ROWS),
  ])
  const counted = yields.filter(({ is_sample: isSample }) => isSample === 0)
  const { first_pass, last_pass } = mapYields(sumCounts(counted))
  const ranked = rankFailures(counts)
  const [worst] = ranked
  const numeric = ranked.filter(({ hasNumbers }) => hasNumbers)
  return {
    procedure: mapProcedure(procedure),
    first_pass,
    last_pass,
    worst_batch: findWorstBatch(counted),
    worst_measurement: worst && worst.failed > 0 ? mapFailure(worst) : null,
    control: {
      measurements: counts.numeric,
      checked: await Promise.all(numeric.slice(0, checked).map((one) => checkControl(query, one, period))),
    },
  }
}

export function findWorstBatch(rows: readonly YieldCountsRow[]): LineProcedure['worst_batch'] {
  const yieldOf = ({ first_passed: passed, units }: YieldCountsRow) => passed / units
  const [worst] = rows
    .filter(({ key, units }) => typeof key === 'string' && units >= LEAST_BATCH_UNITS)
    .toSorted((one, other) => yieldOf(one) - yieldOf(other))
  if (!worst || worst.first_passed === worst.units) return null
  return { number: String(worst.key), first_pass: mapRate(worst.first_passed, worst.units) }
}

async function checkControl(
  query: Query,
  count: MeasurementCount,
  { fromUs }: Period,
): Promise<LineProcedure['control']['checked'][number]> {
  const rows = await readValues(query, { key: count, fromUs, limit: CHECKED_VALUES, units: IS_NO_SAMPLE })
  const values = rows.map(({ value }) => value)
  const chart = individualsChart(values)
  const violations = chart
    ? findViolations(values, { center: chart.individuals.center, sigma: chart.sigma })
    : []
  const violating = new Set(violations.map(({ index }) => index)).size
  return {
    phase: count.phase,
    measurement: count.measurement ?? count.phase,
    values: values.length,
    violating,
    in_control: chart ? violating === 0 : null,
  }
}
