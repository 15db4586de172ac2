import { useSyncExternalStore } from 'react'
import { formatClock, formatDay, formatExact, formatMinute, formatRelative } from '../format/date'

const TICK_MS = 15_000
let nowMs = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  nowMs = Date.now()
  for (const listener of listeners) listener()
}

/** How long ago it was, kept up to date; the exact time is in the title. */
export function RelativeTime({ at }: { at: string }) {
  const now = useSyncExternalStore(subscribe, () => nowMs)
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatRelative(at, Math.max(now, Date.parse(at) || 0))}
    </time>
  )
}

/** The date and time to the minute; the exact time is in the title. */
export function MinuteTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatMinute(at)}
    </time>
  )
}

/** The day, by UTC. */
export function DayTime({ at }: { at: string }) {
  return <time dateTime={at.slice(0, 'yyyy-mm-dd'.length)}>{formatDay(at)}</time>
}

/** The time of day to the millisecond; the date and zone are in the title. */
export function ClockTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatClock(at)}
    </time>
  )
}
