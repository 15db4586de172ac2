import type { Notes } from '../notes'
import type { FilePath } from '../read-error'
import type { StepValue } from '../unit/report'
import type { Chart, WatsStep } from './wsjf-schema'

/** The curves of charts, each a measurement with its axes. */
export function listCurves({ name, chart: charts }: WatsStep, at: FilePath, notes: Notes): StepValue[] {
  return charts.flatMap((chart) =>
    chart.series.map(({ name: curve, xdata, ydata }, index) => {
      const [x, y] = pairPoints(readNumbers(xdata), readNumbers(ydata), (count) =>
        notes.add(
          [...at, 'chart', 'series', index],
          `has points without a finite x and y, and ${count} were left out`,
        ),
      )
      return {
        name: [chart.label?.trim() || name, curve?.trim() || String(index + 1)].join(' › '),
        outcome: undefined,
        ...(x.length > 0 && { x_axis: { data: x, ...nameAxis(chart.xLabel, chart.xUnit) } }),
        y_axis: [{ data: y, ...nameAxis(chart.yLabel, chart.yUnit) }],
      }
    }),
  )
}

function nameAxis(name: Chart['xLabel'], units: Chart['xUnit']) {
  return { ...(name?.trim() && { name: name.trim() }), ...(units?.trim() && { units: units.trim() }) }
}

/** Numbers that semicolons divide, some with a decimal comma; NaN for what is none. */
function readNumbers(text = ''): number[] {
  const listed = text.trim().replace(/;$/, '')
  if (listed === '') return []
  return listed.split(';').map((part) => (part.trim() === '' ? NaN : Number(part.replace(',', '.'))))
}

/** The points whose numbers are finite; a curve may have no x. */
function pairPoints(x: readonly number[], y: readonly number[], leaveOut: (count: number) => void) {
  const count = Math.max(x.length, y.length)
  const points = Array.from({ length: count }, (_, index) => index).filter(
    (index) => Number.isFinite(y[index]) && (x.length === 0 || Number.isFinite(x[index])),
  )
  if (points.length < count) leaveOut(count - points.length)
  const pick = (all: readonly number[]) => points.flatMap((index) => all[index] ?? [])
  return [pick(x), pick(y)] as const
}
