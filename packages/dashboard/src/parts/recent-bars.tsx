import { describeRecent } from '../format/rate'

const BAR_PX = 4
const GAP_PX = 1
const HEIGHT_PX = 22
const SHOWN = 60

// Failures are taller than passes: the colour is not all that tells them apart.
const BARS: Readonly<Record<string, { className: string; height: number }>> = {
  p: { className: 'fill-good opacity-55', height: 10 },
  r: { className: 'fill-warn', height: 16 },
  f: { className: 'fill-bad', height: HEIGHT_PX },
  i: { className: 'fill-quiet opacity-60', height: HEIGHT_PX },
  s: { className: 'fill-line', height: 4 },
}

/** The last results of a test as bars, the oldest first: passed low, flaky higher, failed highest. */
export function RecentBars({ recent }: { recent: string }) {
  const width = SHOWN * (BAR_PX + GAP_PX)
  const bars = [...recent].slice(-SHOWN)
  const first = SHOWN - bars.length
  const label = describeRecent(recent)
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${HEIGHT_PX}`}
      className="block h-[22px] w-full max-w-[300px]"
      preserveAspectRatio="none"
    >
      <title>{label}</title>
      {bars.map((letter, index) => {
        const { className, height } = BARS[letter] ?? { className: 'fill-line', height: 4 }
        return (
          <rect
            key={index}
            x={(first + index) * (BAR_PX + GAP_PX)}
            y={HEIGHT_PX - height}
            width={BAR_PX}
            height={height}
            className={className}
          />
        )
      })}
    </svg>
  )
}
