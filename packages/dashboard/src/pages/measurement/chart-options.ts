import { formatNumber } from '@runledger/presentation'
import UPlot from 'uplot'
import type { ChartLook, ChartOptions } from '../../parts/chart/chart'
import { lookOf } from './point-looks'

export interface ChartPoint {
  value: number
  startedAt: string
  look: number | undefined
  isViolating: boolean
}

export interface PointEvents {
  /** The point that the cursor is nearest to. */
  onPoint: (index: number) => void
  /** The point that was clicked with a mouse. */
  onPick: (index: number) => void
}

interface Line {
  label: string
  colour: string
  dash?: number[]
  /** It has a value only at its ends. */
  isStraight?: boolean
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000]
/** Cursors of both charts move together. */
const SYNC = 'measurement'

/** A chart of values in their order, with lines such as limits. The first series of its data are the values. */
export function describeOrder(
  { colour, axis }: ChartLook,
  points: readonly (ChartPoint | undefined)[],
  { lines, events }: { lines: readonly Line[]; events: PointEvents },
): ChartOptions {
  const stroke = colour('--soft')
  return {
    legend: { show: false },
    cursor: { drag: { x: true, y: false }, points: { show: false }, sync: { key: SYNC } },
    scales: { x: { time: false }, y: { range: (chart, min, max) => findRange(chart, lines, [min, max]) } },
    axes: [
      {
        ...axis,
        size: 32,
        incrs: STEPS,
        space: 72,
        values: (_chart, ticks) => ticks.map((tick) => nameDay(points[tick]?.startedAt)),
      },
      { ...axis, size: 64, values: (_chart, ticks) => ticks.map(formatTick) },
    ],
    series: [
      {},
      { label: 'value', stroke, width: 0.5, points: { show: false } },
      ...lines.map((line): UPlot.Series => ({
        label: line.label,
        stroke: colour(line.colour),
        width: 1.5,
        points: { show: false },
        spanGaps: line.isStraight ?? false,
        ...(line.dash && { dash: line.dash }),
      })),
    ],
    hooks: {
      draw: [(chart) => drawPoints(chart, points, colour)],
      setCursor: [({ cursor: { idx } }) => typeof idx === 'number' && events.onPoint(idx)],
      init: [(chart) => listen(chart, events)],
    },
  }
}

/** Keeps straight lines visible in a zoomed chart, where they have no values. */
function findRange(chart: UPlot, lines: readonly Line[], shown: readonly number[]): UPlot.Range.MinMax {
  const straight = lines.flatMap(({ isStraight }, index) => (isStraight ? [chart.data[index + 2]?.[0]] : []))
  // uPlot passes null where no value is shown.
  const known = [...shown, ...straight].filter((value) => typeof value === 'number')
  return known.length === 0 ? [null, null] : UPlot.rangeNum(Math.min(...known), Math.max(...known), 0.1, true)
}

function nameDay(startedAt: string | undefined): string {
  return startedAt === undefined ? '' : DAY.format(Date.parse(startedAt))
}

function formatTick(tick: number): string {
  return formatNumber(Number(tick.toPrecision(6)))
}

// A touch moves the cursor only: a finger is no exact pointer.
function listen(chart: UPlot, { onPick }: PointEvents): void {
  chart.over.style.cursor = 'pointer'
  chart.over.addEventListener('click', (event) => {
    const { idx } = chart.cursor
    if (typeof idx === 'number' && (event as PointerEvent).pointerType !== 'touch') onPick(idx)
  })
}

/** One path for each look: thousands of small paths take long. */
function drawPoints(
  chart: UPlot,
  points: readonly (ChartPoint | undefined)[],
  colour: ChartLook['colour'],
): void {
  const { ctx, bbox } = chart
  const radius = (points.length > 800 ? 2 : 3.2) * devicePixelRatio
  const paths = new Map<number | undefined, Path2D>()
  const rings = new Path2D()
  const { min, max } = chart.scales['x'] ?? {}
  const last = Math.min(max ?? Infinity, points.length - 1)
  for (let index = Math.max(0, Math.floor(min ?? 0)); index <= last; index += 1) {
    const point = points[index]
    if (!point) continue
    const [x, y] = [chart.valToPos(index, 'x', true), chart.valToPos(point.value, 'y', true)]
    const path = paths.get(point.look) ?? new Path2D()
    paths.set(point.look, path)
    path.addPath(shapeOf(point.look), { a: radius, d: radius, e: x, f: y })
    if (!point.isViolating) continue
    rings.moveTo(x + 2 * radius, y)
    rings.arc(x, y, 2 * radius, 0, 2 * Math.PI)
  }
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  for (const [look, path] of paths) {
    ctx.fillStyle = colour(lookOf(look).colour)
    ctx.fill(path)
  }
  ctx.strokeStyle = colour('--bad')
  ctx.lineWidth = 0.45 * radius
  ctx.stroke(rings)
  ctx.restore()
}

const SHAPES = new Map<number | undefined, Path2D>()

function shapeOf(look: number | undefined): Path2D {
  const known = SHAPES.get(look)
  if (known) return known
  const shape = new Path2D()
  for (const [left, top] of lookOf(look).points) shape.lineTo(left, top)
  shape.closePath()
  SHAPES.set(look, shape)
  return shape
}
