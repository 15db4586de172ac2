import {
  formatTimestampUs,
  type GetLineMeasurementQuery,
  type LineMeasurement,
  MAX_LINE_VALUES,
  parseTimestampUs,
} from '@runledger/protocol'
import {
  andersonDarling,
  capability,
  type Capability,
  findDrifts,
  findViolations,
  individualsChart,
  movingRangeFreedom,
  summarize,
} from '@runledger/statistics'
import { failedValidation, notFound } from '../../../base/errors'
import type { StorageContext } from '../../../storage/context'
import { IS_NO_SAMPLE, findMeasurement, readValues, type ValueRow } from './read-store'
import { findPeriod } from './yields'

type LineContext = Pick<StorageContext, 'database' | 'clock'>

interface MeasurementAsked {
  procedure_id: string
  days: number
  phase: string
  measurement?: string | undefined
}

/** @throws HttpError NOT_FOUND */
export async function findAskedMeasurement(context: LineContext, asked: MeasurementAsked) {
  const { fields, procedureId, fromUs } = await findPeriod(context, asked)
  const { phase, measurement = phase } = asked
  const key = await findMeasurement(context.database.query, procedureId, { phase, measurement })
  if (!key) throw notFound(`measurement "${measurement}" of the phase "${phase}"`, 'It needs a number.')
  return { fields: { ...fields, phase, measurement, unit: key.unit }, key, fromUs }
}

export async function getLineMeasurement(
  context: LineContext,
  asked: GetLineMeasurementQuery,
): Promise<LineMeasurement> {
  const untilUs = readLimitsUntil(asked.limits_until)
  const { fields, key, fromUs } = await findAskedMeasurement(context, asked)
  const found = await readValues(context.database.query, {
    key,
    fromUs,
    limit: MAX_LINE_VALUES + 1,
    units: IS_NO_SAMPLE,
    batches: asked.batch_numbers,
    stations: asked.stations,
    versions: asked.versions,
  })
  const rows = found.slice(-MAX_LINE_VALUES)
  const values = rows.map(({ value }) => value)
  const summary = summarize(values)
  return {
    ...fields,
    n: summary.n,
    has_more: found.length > rows.length,
    failed: rows.filter(({ failed }) => failed === 1).length,
    mean: summary.mean ?? null,
    standard_deviation: summary.standardDeviation ?? null,
    min: summary.min ?? null,
    max: summary.max ?? null,
    rules: asked.rules,
    ...describeProcess(rows, asked.rules, untilUs),
    normality: describeNormality(values),
    histogram: countBins(values),
    drifts: describeDrifts(rows),
    values: rows.map(mapValue),
  }
}

function readLimitsUntil(text: string | undefined): number {
  if (text === undefined) return Infinity
  const us = parseTimestampUs(text)
  if (us !== undefined) return us
  throw failedValidation([
    { path: ['limits_until'], message: 'must be an ISO 8601 time with Z or an offset' },
  ])
}

/** Control comes first: a process that is not in control has no Cpk. */
function describeProcess(
  rows: readonly ValueRow[],
  rules: GetLineMeasurementQuery['rules'],
  untilUs: number,
): Pick<LineMeasurement, 'limits' | 'control' | 'in_control' | 'violations' | 'within' | 'overall'> {
  const values = rows.map(({ value }) => value)
  const { n, mean = NaN, standardDeviation = 0 } = summarize(values)
  const last = rows.at(-1)
  const limits = { low: last?.limit_low ?? undefined, high: last?.limit_high ?? undefined }
  const chart = individualsChart(
    rows.filter(({ started_at_us: us }) => us <= untilUs).map(({ value }) => value),
  )
  const violations = chart
    ? findViolations(values, { center: chart.individuals.center, sigma: chart.sigma }, rules)
    : []
  const isInControl = chart ? violations.length === 0 : null
  const within = individualsChart(values)
  return {
    limits: { low: limits.low ?? null, high: limits.high ?? null },
    control: chart
      ? {
          values: chart.n,
          individuals: chart.individuals,
          moving_ranges: chart.ranges,
          sigma: chart.sigma,
        }
      : null,
    in_control: isInControl,
    violations: violations.map(({ rule, index }) => ({ rule, index })),
    within:
      isInControl === true && within
        ? mapCapability(
            capability({ n, mean }, { sigma: within.sigma, freedom: movingRangeFreedom(n) }, limits),
          )
        : null,
    overall: mapCapability(capability({ n, mean }, { sigma: standardDeviation, freedom: n - 1 }, limits)),
  }
}

function mapCapability(found: Capability | undefined): LineMeasurement['overall'] {
  if (!found) return null
  const { sigma, spread = null, centered, expectedOutside } = found
  return { sigma, spread, centered, expected_outside: expectedOutside }
}

function describeNormality(values: readonly number[]): LineMeasurement['normality'] {
  const test = andersonDarling(values)
  return test ? { statistic: test.statistic, p_value: test.pValue } : null
}

const MOST_BINS = 50

/** Sturges' rule for few values, the square root for many. */
function countBins(values: readonly number[]): LineMeasurement['histogram'] {
  const { n, min, max } = summarize(values)
  if (min === undefined || max === undefined) return []
  if (min === max) return [{ from: min, to: max, count: n }]
  const bins = Math.min(MOST_BINS, Math.max(Math.ceil(Math.log2(n)) + 1, Math.ceil(Math.sqrt(n))))
  const width = (max - min) / bins
  const counts = Array.from({ length: bins }, () => 0)
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor((value - min) / width))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return counts.map((count, i) => ({ from: min + i * width, to: min + (i + 1) * width, count }))
}

/** Only the last values are searched for changes. */
const SEARCHED = 2_000
/** In values: a change and what began with it are at most this far apart. */
const NEAR = 5

function describeDrifts(rows: readonly ValueRow[]): LineMeasurement['drifts'] {
  const skipped = Math.max(0, rows.length - SEARCHED)
  return findDrifts(rows.slice(skipped).map(({ value }) => value)).map((drift) => {
    const index = drift.index + skipped
    return {
      index,
      started_at: formatTimestampUs(rows[index]?.started_at_us ?? 0),
      mean_before: drift.meanBefore,
      mean_after: drift.meanAfter,
      sigmas: drift.sigmas,
      p_value: drift.pValue,
      began_with: listBeginnings(rows, index),
    }
  })
}

/** Batches, stations and versions whose first value is near, by name. */
function listBeginnings(rows: readonly ValueRow[], index: number): string[] {
  return (['batch', 'station', 'version'] as const).flatMap((kind) => {
    const firsts = new Map<string, number>()
    for (const [at, row] of rows.entries()) {
      const name = row[kind]
      if (name !== null && !firsts.has(name)) firsts.set(name, at)
    }
    return [...firsts]
      .filter(([, at]) => at > 0 && Math.abs(at - index) <= NEAR)
      .map(([name]) => `${kind} ${name}`)
  })
}

function mapValue(row: ValueRow): LineMeasurement['values'][number] {
  return {
    run_id: row.run_id,
    serial_number: row.serial_number,
    started_at: formatTimestampUs(row.started_at_us),
    station: row.station,
    batch: row.batch,
    version: row.version,
    value: row.value,
    limit_low: row.limit_low,
    limit_high: row.limit_high,
    passed: row.failed === 0,
  }
}
