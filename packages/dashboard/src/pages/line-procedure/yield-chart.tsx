import type { YieldRow } from '@runledger/protocol'
import { useMemo } from 'react'
import type UPlot from 'uplot'
import { formatYield } from '../../format/line'
import { Chart, type ChartLook, type ChartOptions, Key } from '../../parts/chart/chart'

/** First-pass yield over time with its interval. `YieldTable` has the same as text. */
export function YieldChart({ rows, by }: { rows: YieldRow[]; by: 'day' | 'week' }) {
  const data = useMemo(() => {
    const tested = rows.filter(({ key, first_pass: first }) => key !== null && first.of > 0)
    return [
      tested.map(({ key }) => Date.parse(key ?? '') / 1000),
      tested.map(({ first_pass: first }) => first.high),
      tested.map(({ first_pass: first }) => first.low),
      tested.map(({ first_pass: first }) => first.rate),
    ] as UPlot.AlignedData
  }, [rows])
  return (
    <figure>
      <figcaption className="mb-1 flex flex-wrap gap-x-4 text-sm">
        <Key className="bg-accent" word={`first-pass yield of a ${by}`} />
        <Key className="bg-accent opacity-30" word="its 95 % interval" />
      </figcaption>
      <Chart
        label={`First-pass yield by ${by}; the table below has it as text`}
        data={data}
        describe={describeChart}
      />
    </figure>
  )
}

function describeChart({ colour, axis }: ChartLook): ChartOptions {
  const accent = colour('--accent')
  const edge = (label: string): UPlot.Series => ({ label, stroke: 'transparent', points: { show: false } })
  return {
    legend: { show: false },
    cursor: { drag: { x: true, y: false } },
    tzDate: (seconds) => toUtc(seconds),
    scales: {
      y: { range: (_chart, min) => [Math.max(0, Math.floor((min ?? 0) * 10 - 0.5) / 10), 1.02] },
    },
    axes: [
      { ...axis, size: 48 },
      {
        ...axis,
        size: 56,
        values: (_chart, ticks) => ticks.map((tick) => (tick > 1 ? '' : formatYield(tick))),
      },
    ],
    bands: [{ series: [1, 2], fill: `color-mix(in srgb, ${accent} 22%, transparent)` }],
    series: [
      {},
      edge('high'),
      edge('low'),
      {
        label: 'first pass',
        stroke: accent,
        width: 2,
        points: { show: true, size: 6, fill: accent },
        value: (_chart, value: number | null) => formatYield(value),
      },
    ],
  }
}

/** The axis shows days of UTC, as the service counts them. */
function toUtc(seconds: number): Date {
  const date = new Date(seconds * 1000)
  return new Date(date.getTime() + date.getTimezoneOffset() * 60_000)
}
