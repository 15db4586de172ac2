import type { DurationChange, TestResult } from '@runledger/protocol'
import { useMemo } from 'react'
import UPlot from 'uplot'
import { formatMs } from '../../format/rate'
import { Chart, type ChartLook, type ChartOptions, Key } from '../../parts/chart/chart'
import { layOutDurations } from './duration-series'

interface DurationChartProps {
  results: TestResult[]
  changes: DurationChange[]
}

/** How long each result took, with the mean before and after each change. `ResultsTable` has the same as text. */
export function DurationChart({ results, changes }: DurationChartProps) {
  const data = useMemo(() => {
    const { seconds, passed, flaky, failed, mean } = layOutDurations(results, changes)
    return [seconds, passed, flaky, failed, mean] as UPlot.AlignedData
  }, [results, changes])
  return (
    <figure>
      <figcaption className="mb-1 flex flex-wrap gap-x-4 text-sm">
        <span className="font-medium">Duration</span>
        <Key className="bg-good" word="passed" />
        <Key className="bg-warn" word="passed on a retry" />
        <Key className="bg-bad" word="failed" />
        {changes.length > 0 && <Key isLine className="bg-accent" word="mean before and after a change" />}
      </figcaption>
      <Chart label="Durations; the table below has them as text" data={data} describe={describeChart} />
    </figure>
  )
}

function describeChart({ colour, axis }: ChartLook): ChartOptions {
  const dots = (label: string, name: string): UPlot.Series => ({
    label,
    stroke: colour(name),
    fill: colour(name),
    paths: () => null,
    points: { show: true, size: 5, fill: colour(name) },
    value: (_chart, value: number | null) => (value === null ? '–' : formatMs(value * 1000)),
  })
  return {
    legend: { show: false },
    cursor: { drag: { x: true, y: false } },
    scales: { y: { range: (_chart, _min, max) => [0, (max || 1) * 1.1] } },
    axes: [
      axis,
      { ...axis, size: 64, values: (_chart, ticks) => ticks.map((tick) => formatMs(tick * 1000)) },
    ],
    series: [
      {},
      dots('passed', '--good'),
      dots('passed on a retry', '--warn'),
      dots('failed', '--bad'),
      {
        label: 'mean',
        stroke: colour('--accent'),
        width: 2,
        points: { show: false },
        paths: UPlot.paths.stepped?.({ align: 1 }),
      } as UPlot.Series,
    ],
  }
}
