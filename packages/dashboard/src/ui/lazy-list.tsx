import { Fragment, useEffect, useRef, useState, type ReactNode } from 'react'

// Rows this near to the window are there before they are looked at.
const NEAR = '1200px'

interface LazyListProps<Item> {
  items: readonly Item[]
  /** What the list is of, for those who hear it: "Steps". */
  label: string
  /** How many rows appear together, and about how high one is: as much room is kept for those that are still to come. */
  rowsAtOnce: number
  rowPx: number
  keyOf: (item: Item) => string | number
  /** An `<li>`. */
  renderRow: (item: Item) => ReactNode
  /** Place of a row that has to be there, wherever the window is. */
  needed?: number | undefined
  className?: string
}

/**
 * A list of any length. Rows are rendered when the window comes near them, and the others one after another while the
 * browser has nothing else to do, so that its own search finds them; rows out of sight cost neither layout nor paint.
 */
export function LazyList<Item>(props: LazyListProps<Item>) {
  const { items, label, rowsAtOnce, needed = -1 } = props
  const starts = Array.from({ length: Math.ceil(items.length / rowsAtOnce) }, (_, part) => part * rowsAtOnce)
  return starts.map((start) => {
    const part = items.slice(start, start + rowsAtOnce)
    const isNeeded = needed >= start && needed < start + rowsAtOnce
    const range = starts.length > 1 ? `${label} ${start + 1} to ${start + part.length}` : label
    return (
      <ListPart
        key={start}
        {...props}
        items={part}
        label={range}
        isNeeded={start === 0 || isNeeded}
        isAlone={starts.length === 1}
      />
    )
  })
}

interface ListPartProps<Item> extends LazyListProps<Item> {
  isNeeded: boolean
  isAlone: boolean
}

function ListPart<Item>(props: ListPartProps<Item>) {
  const { items, label, rowPx, keyOf, renderRow, isNeeded, isAlone, className = '' } = props
  const place = useRef<HTMLDivElement>(null)
  const [isNear, setIsNear] = useState(false)
  const isRendered = isNeeded || isNear
  useEffect(() => {
    if (isRendered || !place.current) return undefined
    const show = () => setIsNear(true)
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && show(),
      { rootMargin: NEAR },
    )
    observer.observe(place.current)
    const forget = whenIdle(show)
    return () => {
      observer.disconnect()
      forget()
    }
  }, [isRendered])
  const height = items.length * rowPx
  if (!isRendered) return <div ref={place} style={{ height }} />
  return (
    <ol
      aria-label={label}
      className={className}
      style={isAlone ? undefined : { contentVisibility: 'auto', containIntrinsicSize: `auto ${height}px` }}
    >
      {items.map((item) => (
        <Fragment key={keyOf(item)}>{renderRow(item)}</Fragment>
      ))}
    </ol>
  )
}

const waiting = new Set<() => void>()
let isPlanned = false
let lastCalledMs = 0

// Between two frames of a page that moves there is less time than this; at rest browsers give 50 ms.
const REST_MS = 20
// A page with a video never rests.
const LONGEST_WAIT_MS = 2_000

/** Calls back when the browser is at rest, one at a time; the function it returns takes that back. */
function whenIdle(callback: () => void): () => void {
  waiting.add(callback)
  planNext()
  return () => waiting.delete(callback)
}

function planNext(): void {
  if (isPlanned || waiting.size === 0) return
  isPlanned = true
  // Safari has no requestIdleCallback.
  const plan =
    window.requestIdleCallback ?? ((next: (deadline?: IdleDeadline) => void) => setTimeout(next, 50))
  plan((deadline?: IdleDeadline) => {
    isPlanned = false
    const isAtRest = deadline === undefined || deadline.timeRemaining() >= REST_MS
    const now = performance.now()
    const [next] = waiting
    if (next && (isAtRest || now - lastCalledMs > LONGEST_WAIT_MS)) {
      lastCalledMs = now
      waiting.delete(next)
      next()
    }
    planNext()
  })
}
