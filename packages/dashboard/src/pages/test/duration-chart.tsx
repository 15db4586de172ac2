import type { DurationChange, TestResult } from '@runledger/protocol'
import { useEffect, useMemo, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatMs } from '../../format/rate'
import { layOutDurations, type DurationSeries } from './duration-series'

const HEIGHT_PX = 224

interface DurationChartProps {
  results: TestResult[]
  changes: DurationChange[]
}

/** How long each result took, with the mean before and after each change. `ResultsTable` has the same as text. */
export function DurationChart({ results, changes }: DurationChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const series = useMemo(() => layOutDurations(results, changes), [results, changes])
  useEffect(() => {
    const element = place.current
    if (!element || series.seconds.length === 0) return undefined
    return draw(element, series)
  }, [series])
  return (
    <figure>
      <figcaption className="mb-1 flex flex-wrap gap-x-4 text-sm">
        <span className="font-medium">Duration</span>
        <Key className="bg-good" word="passed" />
        <Key className="bg-warn" word="passed on a retry" />
        <Key className="bg-bad" word="failed" />
        {changes.length > 0 && <Key className="h-0.5 bg-accent" word="mean before and after a change" />}
      </figcaption>
      <div ref={place} role="img" aria-label="Durations; the table below has them as text" className="h-60" />
    </figure>
  )
}

function Key({ className, word }: { className: string; word: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 text-soft">
      <span aria-hidden className={`inline-block h-2 w-2 rounded-full ${className}`} />
      {word}
    </span>
  )
}

/** Draws the chart, anew when its width or the theme changes; the function it returns removes it. */
function draw(element: HTMLElement, series: DurationSeries): () => void {
  const data = [series.seconds, series.passed, series.flaky, series.failed, series.mean] as UPlot.AlignedData
  let chart: UPlot | undefined
  const make = () => {
    chart?.destroy()
    chart = new UPlot(describeChart(element), data, element)
  }
  const observer = new ResizeObserver(() => {
    if (chart?.width !== element.clientWidth) make()
  })
  observer.observe(element)
  const theme = window.matchMedia('(prefers-color-scheme: dark)')
  theme.addEventListener('change', make)
  return () => {
    observer.disconnect()
    theme.removeEventListener('change', make)
    chart?.destroy()
  }
}

function describeChart(element: HTMLElement): UPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
    font: '12px system-ui, sans-serif',
  }
  const dots = (label: string, name: string): UPlot.Series => ({
    label,
    stroke: colour(name),
    fill: colour(name),
    paths: () => null,
    points: { show: true, size: 5, fill: colour(name) },
    value: (_chart, value: number | null) => (value === null ? '–' : formatMs(value * 1000)),
  })
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
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
