import type { Notes } from '../notes'
import type { FilePath } from '../read-error'
import type { StepValue } from '../unit/report'
import type { Chart, WatsStep } from './wsjf-schema'

/** Lists the curves of charts. Each curve becomes a measurement with axes. */
export function listCurves({ name, chart: charts }: WatsStep, at: FilePath, notes: Notes): StepValue[] {
  return charts.flatMap((chart, of) =>
    chart.series.flatMap(({ name: curve, xdata, ydata }, index) => {
      const { x, y, leftOut } = pairPoints(readNumbers(xdata), readNumbers(ydata))
      const place = [...at, 'chart', of, 'series', index]
      if (y.length === 0) {
        notes.add(place, 'has no point with a finite x and y (xdata, ydata), and was left out')
        return []
      }
      if (leftOut > 0) notes.add(place, `has points without a finite x and y, and ${leftOut} were left out`)
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

/** Reads numbers separated by semicolons, also with a decimal comma. Other text becomes NaN. */
function readNumbers(text = ''): number[] {
  const listed = text.trim().replace(/;$/, '')
  if (listed === '') return []
  return listed.split(';').map((part) => (part.trim() === '' ? NaN : Number(part.replace(',', '.'))))
}

/** Returns the points with finite numbers. A curve may have no x. */
function pairPoints(allX: readonly number[], allY: readonly number[]) {
  const [x, y]: [number[], number[]] = [[], []]
  const count = Math.max(allX.length, allY.length)
  for (let index = 0; index < count; index += 1) {
    const [pointX = NaN, pointY = NaN] = [allX[index], allY[index]]
    if (!Number.isFinite(pointY) || (allX.length > 0 && !Number.isFinite(pointX))) continue
    if (allX.length > 0) x.push(pointX)
    y.push(pointY)
  }
  return { x, y, leftOut: count - y.length }
}
