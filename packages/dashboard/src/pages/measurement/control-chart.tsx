import type { LineMeasurement } from '@runledger/protocol'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type UPlot from 'uplot'
import { formatMinute } from '../../format/date'
import { formatAmount } from '../../format/line'
import type { Colouring } from '../../line-search'
import { runLink } from '../../links'
import { Chart, type ChartLook, Key } from '../../parts/chart/chart'
import { type ChartPoint, describeOrder, type PointEvents } from './chart-options'
import type { ValueGroup } from './groups'

interface ControlChartProps {
  found: LineMeasurement
  groups: readonly ValueGroup[]
  by: Colouring
}

/** Individuals and moving ranges with their limits. `ValueTable` has the same as text. */
export function ControlChart({ found, groups, by }: ControlChartProps) {
  const [at, setAt] = useState<number>()
  const events = usePointEvents(found, setAt)
  const points = useMemo(() => listPoints(found, groups, by), [found, groups, by])
  const individuals = useMemo(() => layOutIndividuals(found), [found])
  const ranges = useMemo(() => layOutRanges(found), [found])
  const [describeIndividuals, describeRanges] = useMemo(
    () => [
      (look: ChartLook) => describeOrder(look, points, { lines: INDIVIDUAL_LINES, events }),
      (look: ChartLook) => describeOrder(look, listRanges(points), { lines: RANGE_LINES, events }),
    ],
    [points, events],
  )
  return (
    <figure className="flex flex-col gap-1">
      <figcaption className="flex flex-wrap gap-x-4 text-sm">
        <Key isLine className="bg-good" word="mean" />
        <Key isLine className="bg-accent" word="control limits" />
        <Key isLine className="bg-bad" word="limits of the measurement" />
        <Key className="border-2 border-bad" word="breaks a rule" />
      </figcaption>
      <Chart
        label="Individuals chart; the table of values has it as text"
        data={individuals}
        describe={describeIndividuals}
        height={280}
      />
      <p className="text-sm text-soft">Moving range: how much a value differs from the one before</p>
      <Chart
        label="Moving ranges; the table of values has the values as text"
        data={ranges}
        describe={describeRanges}
        height={130}
      />
      <Readout found={found} at={at} />
    </figure>
  )
}

const INDIVIDUAL_LINES = [
  { label: 'mean', colour: '--good', isStraight: true },
  { label: 'lower control limit', colour: '--accent', dash: [6, 4], isStraight: true },
  { label: 'upper control limit', colour: '--accent', dash: [6, 4], isStraight: true },
  { label: 'lower limit', colour: '--bad' },
  { label: 'upper limit', colour: '--bad' },
]
const RANGE_LINES = [
  { label: 'mean', colour: '--good', isStraight: true },
  { label: 'upper control limit', colour: '--accent', dash: [6, 4], isStraight: true },
]

function usePointEvents({ values }: LineMeasurement, onPoint: (index: number) => void): PointEvents {
  const navigate = useNavigate()
  return useMemo(
    () => ({
      onPoint,
      onPick: (index) => {
        const value = values[index]
        if (value) void navigate(runLink(value.run_id))
      },
    }),
    [values, navigate, onPoint],
  )
}

function listPoints(
  { values, violations }: LineMeasurement,
  groups: readonly ValueGroup[],
  by: Colouring,
): ChartPoint[] {
  const violating = new Set(violations.map(({ index }) => index))
  const looks = new Map(groups.map(({ name, look }) => [name, look]))
  return values.map((value, index) => ({
    value: value.value,
    startedAt: value.started_at,
    look: looks.get(value[by]),
    isViolating: violating.has(index),
  }))
}

/** The range of a value belongs to the later one; the first has none. */
function listRanges(points: readonly ChartPoint[]): (ChartPoint | undefined)[] {
  return points.map((point, index) => {
    const before = points[index - 1]
    return before && { ...point, value: Math.abs(point.value - before.value), isViolating: false }
  })
}

function layOutIndividuals({ values, control }: LineMeasurement): UPlot.AlignedData {
  const { center, lower, upper } = control?.individuals ?? {}
  return [
    values.map((_, index) => index),
    values.map(({ value }) => value),
    ...[center, lower, upper].map((value) => layOutLine(value, values.length)),
    values.map(({ limit_low: low }) => low),
    values.map(({ limit_high: high }) => high),
  ]
}

function layOutRanges({ values, control }: LineMeasurement): UPlot.AlignedData {
  const { center, upper } = control?.moving_ranges ?? {}
  return [
    values.map((_, index) => index),
    values.map(({ value }, index) =>
      index === 0 ? null : Math.abs(value - (values[index - 1]?.value ?? value)),
    ),
    ...[center, upper].map((value) => layOutLine(value, values.length)),
  ]
}

/** A straight line over all values. */
function layOutLine(value: number | undefined, length: number): (number | null)[] {
  return Array.from({ length }, (_, index) => (index === 0 || index === length - 1 ? (value ?? null) : null))
}

/** What the cursor is at. It keeps its height, so that nothing moves. */
function Readout({
  found: { values, unit, violations },
  at,
}: {
  found: LineMeasurement
  at: number | undefined
}) {
  const value = at === undefined ? undefined : values[at]
  if (!value)
    return <p className="h-10 text-sm text-soft">Point at a value to read it; click it to open its run.</p>
  const rules = violations.filter(({ index }) => index === at).map(({ rule }) => rule)
  const parts = [
    formatMinute(value.started_at),
    value.station,
    value.batch === null ? undefined : `batch ${value.batch}`,
    rules.length === 0 ? undefined : `breaks rule ${rules.join(', ')}`,
  ]
  return (
    <p className="numeric h-10 overflow-hidden text-sm text-soft">
      <span className="font-medium text-ink">{formatAmount(value.value, unit)}</span>{' '}
      <Link {...runLink(value.run_id)} preload={false} className="underline">
        {value.serial_number}
      </Link>
      , {parts.filter((part) => part !== undefined && part !== null).join(', ')}
    </p>
  )
}
