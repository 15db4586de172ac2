import type {
  GaugeStudyAnswer,
  LineFailureList,
  LineMeasurement,
  WhereUsed,
  YieldList,
  YieldRow,
} from '@runledger/protocol'
import type { HistoryLinks } from './history-links'
import {
  describeCapability,
  describeControl,
  describeDrift,
  describeRule,
  formatLimitPair,
  formatStatistic,
} from './line-text'
import { BoundedMarkdown, code, codeLink, joinFacts } from './markdown-text'
import { formatCount } from './number'
import { formatRate, formatShare } from './rate'

const YIELD_DEFINITIONS =
  'First pass: units whose first run ever passed. Second pass: those whose first or second run passed. Last pass: those whose last run passed. First pass of the day: units that passed their first run of the day, on each day. Aborted runs are left out.'

export function formatYieldList({
  procedure,
  by,
  days,
  total,
  samples,
  data,
  has_more: hasMore,
}: YieldList): string {
  const page = new BoundedMarkdown()
  page.add(`# Yields of ${code(procedure.name)} by ${by}, the last ${formatCount(days, 'day')}`)
  if (total.runs.of === 0) page.add('There are no completed runs in the period.')
  else page.add(`${YIELD_DEFINITIONS}\n\n- all: ${describeYields(total)}`)
  page.addEach(data, {
    heading: '',
    format: ({ key, ...yields }) => `- ${key === null ? `no ${by}` : code(key)}: ${describeYields(yields)}`,
    what: (count) => formatCount(count, by),
  })
  if (samples.runs.of > 0) page.add(`- samples, which count in nothing above: ${describeYields(samples)}`)
  if (hasMore) page.add('There are more rows. Ask for fewer days.')
  return page.end('the operation `listYields`')
}

function describeYields(yields: Omit<YieldRow, 'key' | 'id'>): string {
  return joinFacts([
    `first pass ${formatRate(yields.first_pass)}`,
    `second pass ${formatRate(yields.second_pass)}`,
    `last pass ${formatRate(yields.last_pass)}`,
    `first pass of the day ${formatRate(yields.first_pass_of_day)}`,
    `runs ${formatRate(yields.runs)}`,
  ])
}

export function formatLineFailures({ procedure, days, data, has_more: hasMore }: LineFailureList): string {
  const page = new BoundedMarkdown()
  const failing = data.filter(({ failures }) => failures.count > 0)
  page.add(`# What fails in ${code(procedure.name)}, the last ${formatCount(days, 'day')}`)
  if (failing.length === 0) page.add(`None of ${formatCount(data.length, 'measurement')} failed.`)
  page.addEach(failing, {
    heading: '',
    format: ({ phase, measurement, failures, share, cumulative }) =>
      `- ${joinFacts([
        measurement === null || measurement === phase ? code(phase) : `${code(phase)}: ${code(measurement)}`,
        `failed ${formatRate(failures)}`,
        `${formatShare(share)} of all failures, ${formatShare(cumulative)} with those above`,
      ])}`,
    what: (count) => formatCount(count, 'measurement'),
  })
  if (hasMore) page.add('There are more rows.')
  return page.end('the operation `listLineFailures`')
}

const MAX_LISTED = 10

function quoteUnit(unit: string | null): string | null {
  return unit === null ? null : code(unit)
}

/** `GET /v2/line/measurement` as Markdown: in control, capable, when it drifted, its last values. */
export function formatLineMeasurement(found: LineMeasurement, links: HistoryLinks): string {
  const { procedure, phase, measurement, n, failed, mean, normality } = found
  const unit = quoteUnit(found.unit)
  const page = new BoundedMarkdown()
  page.add(`# ${code(measurement)} of ${code(phase)}, ${code(procedure.name)}`)
  page.add(
    [
      `Of the last ${formatCount(found.days, 'day')}: ${formatCount(n, 'value')}, ${failed} failed; mean ${formatStatistic(mean, unit)}, standard deviation ${formatStatistic(found.standard_deviation, unit)}, ${formatStatistic(found.min, unit)} to ${formatStatistic(found.max, unit)}`,
      ...(found.has_more ? ['The period has more values; these are the last.'] : []),
      `Limits: ${formatLimitPair(found.limits, unit)}`,
      `In control? ${describeControl(found, code)}`,
      `Capable? ${describeCapability(found)}`,
      ...(normality === null
        ? []
        : [
            `Normal? Anderson-Darling A² ${formatStatistic(normality.statistic)}, p = ${normality.p_value.toPrecision(2)}`,
          ]),
      ...found.drifts.map((drift) => describeDrift(drift, unit, code)),
    ]
      .map((line) => `- ${line}`)
      .join('\n'),
  )
  page.addEach(found.violations.slice(0, MAX_LISTED), {
    heading: '## Broken rules',
    format: ({ rule, index }) =>
      `- ${describeValue(found, index, links)}: ${describeRule(rule, found.rules)}`,
    total: found.violations.length,
    what: (count) => formatCount(count, 'broken rule'),
  })
  const last = found.values.map((_, index) => index).slice(-MAX_LISTED)
  page.addEach(last.toReversed(), {
    heading: '## Last values, the newest first',
    format: (index) => `- ${describeValue(found, index, links)}`,
    total: found.values.length,
    what: (count) => formatCount(count, 'value'),
  })
  return page.end('the operation `getLineMeasurement`')
}

function describeValue({ values, unit }: LineMeasurement, index: number, links: HistoryLinks): string {
  const value = values[index]
  if (!value) return `value ${index + 1}`
  return joinFacts([
    codeLink(value.serial_number, links.run(value.run_id)),
    `${value.value}${unit === null ? '' : ` ${code(unit)}`}`,
    value.passed ? 'passed' : 'failed',
    value.started_at,
    value.station === null ? undefined : `station ${code(value.station)}`,
    value.batch === null ? undefined : `batch ${code(value.batch)}`,
  ])
}

export function formatGaugeStudy(answer: GaugeStudyAnswer): string {
  const { procedure, phase, measurement, values, has_more: hasMore, study } = answer
  const unit = quoteUnit(answer.unit)
  const page = new BoundedMarkdown()
  page.add(`# Gauge study of ${code(measurement)} of ${code(phase)}, ${code(procedure.name)}`)
  if (!study) {
    page.add(
      `There are ${formatCount(values, 'value')}. A study needs units that were measured at least twice at each station.`,
    )
    return page.end('the operation `getGaugeStudy`')
  }
  const whole = study.unit_variation ? 'variance' : 'variance of the gauge'
  const component = (name: string, part: { sigma: number; share: number } | null) =>
    part === null
      ? `- ${name}: not known from one unit`
      : `- ${name}: sigma ${formatStatistic(part.sigma, unit)}, ${formatShare(part.share)} of the ${whole}`
  page.add(
    [
      `- ${formatCount(study.units.length, 'unit')} (${study.units.map(code).join(', ')}), ${formatCount(study.readings, 'reading')} of each at ${formatCount(study.stations.length, 'station')}; ${study.left_out.toLocaleString('en')} of ${hasMore ? 'the last ' : ''}${formatCount(values, 'value')} left out`,
      component('repeatability', study.repeatability),
      component('between stations', study.reproducibility),
      component('gauge in all', study.gauge),
      component('units', study.unit_variation),
      ...(study.tolerance_share === null
        ? []
        : [`- the gauge takes ${formatShare(study.tolerance_share)} of the tolerance`]),
      ...study.stations.map(
        ({ station, mean }) => `- mean at ${code(station)}: ${formatStatistic(mean, unit)}`,
      ),
    ].join('\n'),
  )
  return page.end('the operation `getGaugeStudy`')
}

export function formatWhereUsed({ batch, data, has_more: hasMore }: WhereUsed): string {
  const page = new BoundedMarkdown()
  page.add(`# Units that hold units of batch ${code(batch.number)}`)
  if (data.length === 0) page.add('None.')
  page.addEach(data, {
    heading: '',
    format: (unit) =>
      `- ${joinFacts([
        code(unit.serial_number),
        `part ${code(unit.part_number)}`,
        unit.batch === null ? undefined : `batch ${code(unit.batch)}`,
        `holds ${unit.sub_units.map(code).join(', ')}`,
      ])}`,
    what: (count) => formatCount(count, 'unit'),
  })
  if (hasMore) page.add('There are more units.')
  return page.end('the operation `listWhereUsed`')
}
