import { Ban, CircleCheck, CircleMinus, CircleX, Clock, TriangleAlert, type LucideIcon } from 'lucide-react'

export type Tone = 'good' | 'bad' | 'warn' | 'late' | 'stopped' | 'quiet'

const LOOKS: Record<Tone, { icon: LucideIcon; className: string }> = {
  good: { icon: CircleCheck, className: 'bg-good-tint text-good' },
  bad: { icon: CircleX, className: 'bg-bad-tint text-bad' },
  warn: { icon: TriangleAlert, className: 'bg-warn-tint text-warn' },
  late: { icon: Clock, className: 'bg-warn-tint text-warn' },
  stopped: { icon: Ban, className: 'bg-quiet-tint text-quiet' },
  quiet: { icon: CircleMinus, className: 'bg-quiet-tint text-quiet' },
}

/** A word with the icon and colour of its tone: never a colour alone. */
export function Badge({
  tone,
  word,
  size = 'small',
}: {
  tone: Tone
  word: string
  size?: 'small' | 'large'
}) {
  const { icon: Icon, className } = LOOKS[tone]
  const scale = size === 'large' ? 'gap-1.5 px-3 py-1 text-base' : 'gap-1 px-2 py-0.5 text-sm'
  return (
    <span
      className={`inline-flex items-center rounded-full font-medium whitespace-nowrap ${scale} ${className}`}
    >
      <Icon aria-hidden className={size === 'large' ? 'size-5' : 'size-4'} />
      <span className="self-baseline">{word}</span>
    </span>
  )
}
