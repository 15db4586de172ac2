import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

/** What a chart is drawn with: the colours of the theme by their names, such as `--ink`, and the look of an axis. */
export interface ChartLook {
  colour: (name: string) => string
  axis: UPlot.Axis
}

export type ChartOptions = Omit<UPlot.Options, 'width' | 'height'>

interface ChartProps {
  label: string
  data: UPlot.AlignedData
  /** Has to stay the same function while nothing changes: a new one draws the chart anew. */
  describe: (look: ChartLook) => ChartOptions
  height?: number
}

/** A chart on a canvas. Something beside it has to have the same as text. */
export function Chart({ label, data, describe, height = 232 }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element || (data[0]?.length ?? 0) === 0) return undefined
    return draw(
      element,
      (width) => new UPlot({ ...describe(readLook(element)), width, height }, data, element),
    )
  }, [data, describe, height])
  return <div ref={place} role="img" aria-label={label} style={{ height }} />
}

/** Draws the chart, anew when its width or the theme changes; the function it returns removes it. */
function draw(element: HTMLElement, make: (width: number) => UPlot): () => void {
  let chart: UPlot | undefined
  const remake = () => {
    chart?.destroy()
    chart = make(element.clientWidth)
  }
  const observer = new ResizeObserver(() => {
    if (chart?.width !== element.clientWidth) remake()
  })
  observer.observe(element)
  const theme = window.matchMedia('(prefers-color-scheme: dark)')
  theme.addEventListener('change', remake)
  return () => {
    observer.disconnect()
    theme.removeEventListener('change', remake)
    chart?.destroy()
  }
}

function readLook(element: HTMLElement): ChartLook {
  const style = getComputedStyle(element)
  const colours = new Map<string, string>()
  const colour = (name: string) => {
    const known = colours.get(name) ?? style.getPropertyValue(name).trim()
    colours.set(name, known)
    return known
  }
  return {
    colour,
    axis: {
      stroke: colour('--soft'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { stroke: colour('--line'), width: 1 },
      font: '12px system-ui, sans-serif',
    },
  }
}

/** What a colour of a chart stands for. */
export function Key({
  className,
  word,
  isLine = false,
}: {
  className: string
  word: string
  isLine?: boolean
}) {
  return (
    <span className="inline-flex items-center gap-1.5 text-soft">
      <span
        aria-hidden
        className={`inline-block ${isLine ? 'h-0.5 w-4' : 'size-2 rounded-full'} ${className}`}
      />
      {word}
    </span>
  )
}
