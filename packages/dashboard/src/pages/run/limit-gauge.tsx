import { type Limits, locate, scaleGauge } from '@runledger/presentation'

const WIDTH = 96
const HEIGHT = 16

/** Where a value lies between its limits, drawn; the words beside it say the same. */
export function LimitGauge({ value, limits }: { value: number; limits: Limits }) {
  const scale = scaleGauge(value, limits)
  if (!scale) return null
  const left = (scale.low ?? 0) * WIDTH
  const right = (scale.high ?? 1) * WIDTH
  const at = scale.value * WIDTH
  const isInside = locate(value, limits) === 'inside'
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden className="shrink-0">
      <rect x={0} y={6} width={WIDTH} height={4} rx={2} className="fill-line" />
      <rect x={left} y={6} width={Math.max(right - left, 1)} height={4} className="fill-good opacity-60" />
      {scale.low !== undefined && <rect x={left - 0.5} y={2} width={1} height={12} className="fill-soft" />}
      {scale.high !== undefined && <rect x={right - 0.5} y={2} width={1} height={12} className="fill-soft" />}
      {isInside ? (
        <circle cx={at} cy={8} r={4} className="fill-ink" />
      ) : (
        <path d={`M${at - 5} 8l5-5.5 5 5.5-5 5.5z`} className="fill-bad" />
      )}
    </svg>
  )
}
