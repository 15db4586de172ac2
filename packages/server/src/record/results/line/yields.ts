import {
  type LineFailure,
  type LineFailureList,
  type ListLineFailuresQuery,
  type ListYieldsQuery,
  MAX_LINE_ROWS,
  type YieldList,
} from '@runledger/protocol'
import { pareto } from '@runledger/statistics'
import { US_PER_DAY } from '../../../base/clock'
import type { StorageContext } from '../../../storage/context'
import type { ProceduresTable } from '../../../storage/database/schema/units'
import { findKnownProcedure } from '../../catalogue/procedures/resolve-procedure'
import { mapRate } from '../history/results'
import {
  type MeasurementCounts,
  readMeasurementCounts,
  readYieldCounts,
  type YieldCounts,
} from './read-store'

type LineContext = Pick<StorageContext, 'database' | 'clock'>

/** Whole days of UTC, the present one included. */
export async function findPeriod(
  { database, clock }: LineContext,
  { procedure_id: name, days }: { procedure_id: string; days: number },
) {
  const procedure = await findKnownProcedure(database.query, name)
  return {
    fields: { procedure: mapProcedure(procedure), days },
    procedureId: procedure.id,
    fromUs: findStart(clock(), days),
  }
}

/** The period ends with the present day of UTC. */
export function findStart(nowUs: number, days: number): number {
  return (Math.floor(nowUs / US_PER_DAY) + 1 - days) * US_PER_DAY
}

export function mapProcedure({ public_id: id, identifier, name }: ProceduresTable) {
  return { id, identifier, name }
}

export async function listYields(context: LineContext, asked: ListYieldsQuery): Promise<YieldList> {
  const { fields, ...period } = await findPeriod(context, asked)
  const rows = await readYieldCounts(context.database.query, period, asked.by)
  const counted = rows.filter(({ is_sample: isSample }) => isSample === 0)
  return {
    ...fields,
    by: asked.by,
    total: mapYields(sumCounts(counted)),
    samples: mapYields(sumCounts(rows.filter(({ is_sample: isSample }) => isSample === 1))),
    data: counted
      .slice(-MAX_LINE_ROWS)
      .map((row) => ({ key: mapKey(row.key), id: row.id, ...mapYields(row) })),
    has_more: counted.length > MAX_LINE_ROWS,
  }
}

/** A number is a day since 1970. */
function mapKey(key: string | number | null): string | null {
  return typeof key === 'number' ? new Date(key * 86_400_000).toISOString().slice(0, 10) : key
}

const NONE: YieldCounts = {
  units: 0,
  first_passed: 0,
  second_passed: 0,
  last_passed: 0,
  day_units: 0,
  day_passed: 0,
  runs: 0,
  passed_runs: 0,
}

export function sumCounts(rows: readonly YieldCounts[]): YieldCounts {
  return rows.reduce(
    (sum, row) => ({
      units: sum.units + row.units,
      first_passed: sum.first_passed + row.first_passed,
      second_passed: sum.second_passed + row.second_passed,
      last_passed: sum.last_passed + row.last_passed,
      day_units: sum.day_units + row.day_units,
      day_passed: sum.day_passed + row.day_passed,
      runs: sum.runs + row.runs,
      passed_runs: sum.passed_runs + row.passed_runs,
    }),
    NONE,
  )
}

export function mapYields(counts: YieldCounts) {
  return {
    first_pass: mapRate(counts.first_passed, counts.units),
    second_pass: mapRate(counts.second_passed, counts.units),
    last_pass: mapRate(counts.last_passed, counts.units),
    first_pass_of_day: mapRate(counts.day_passed, counts.day_units),
    runs: mapRate(counts.passed_runs, counts.runs),
  }
}

/** A step whose measurements are listed is left out: it fails with them. */
export async function listLineFailures(
  context: LineContext,
  asked: ListLineFailuresQuery,
): Promise<LineFailureList> {
  const { fields, ...period } = await findPeriod(context, asked)
  const { query } = context.database
  const ranked = rankFailures(await readMeasurementCounts(query, period, MAX_LINE_ROWS + 1))
  return {
    ...fields,
    has_more: ranked.length > MAX_LINE_ROWS,
    data: ranked.slice(0, MAX_LINE_ROWS).map(mapFailure),
  }
}

type RankedFailure = ReturnType<typeof rankFailures>[number]

export function rankFailures({ rows, failed }: MeasurementCounts) {
  return pareto(
    rows.map((row) => ({ ...row, failures: row.failed })),
    failed,
  )
}

export function mapFailure(row: RankedFailure): LineFailure {
  return {
    phase: row.phase,
    measurement: row.measurement,
    unit: row.unit,
    failures: mapRate(row.failed, row.measured),
    has_numbers: row.hasNumbers,
    share: row.share,
    cumulative: row.cumulative,
  }
}
