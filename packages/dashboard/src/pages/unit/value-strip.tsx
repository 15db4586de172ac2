import type { PlacedMeasurement } from '@runledger/protocol'
import { scaleValue } from './value-scale'

const percent = (at: number) => `${at}%`
const width = ([from, to]: readonly [number, number]) => `${Math.max(to - from, 0.5)}%`

/** Where a value lies, drawn; the words beside it say the same. */
export function ValueStrip({ value: measured }: { value: PlacedMeasurement }) {
  const { value, allowed, range, middle } = scaleValue(measured)
  return (
    <svg width="100%" height={20} aria-hidden className="block print:h-3.5 print:[print-color-adjust:exact]">
      <rect x={0} y="45%" width="100%" height="10%" className="fill-line" />
      {allowed && (
        <rect
          x={percent(allowed[0])}
          y="15%"
          width={width(allowed)}
          height="70%"
          rx={2}
          className="fill-good-tint stroke-good"
          strokeWidth={0.75}
        />
      )}
      {range && <rect x={percent(range[0])} y="46%" width={width(range)} height="8%" className="fill-soft" />}
      {middle && (
        <rect
          x={percent(middle[0])}
          y="30%"
          width={width(middle)}
          height="40%"
          rx={1}
          className="fill-soft opacity-60"
        />
      )}
      <line
        x1={percent(value)}
        x2={percent(value)}
        y1={0}
        y2="100%"
        strokeWidth={3}
        className={measured.passed ? 'stroke-accent' : 'stroke-bad'}
      />
    </svg>
  )
}
