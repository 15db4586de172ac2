import { type ReactNode, useEffect, useRef } from 'react'
import { Unread } from '../../parts/unread'
import { StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'

interface Read {
  isPending: boolean
  error: Error | null
  refetch: () => Promise<unknown>
}

type PagedRead = Read & Parameters<typeof LoadMore>[0]['read']

interface ManagedListProps<Item> {
  read: Read | PagedRead
  /** Undefined until they are read. */
  items: readonly Item[] | undefined
  /** Such as "keys". */
  what: string
  /** How many grey rows stand for them until then, and the class of each. */
  rows: number
  rowClass: string
  /** Shown where there are none. */
  empty?: ReactNode
  children: (item: Item) => ReactNode
}

/** The rows of a list, and a button for older ones. */
export function ManagedList<Item>({
  read,
  items,
  what,
  rows,
  rowClass,
  empty = <p className="text-soft">There are no {what}.</p>,
  children,
}: ManagedListProps<Item>) {
  if (!items) {
    return (
      <Unread
        read={read}
        label={`Reading the ${what}`}
        title={`The ${what} could not be read`}
        rows={rows}
        rowClass={rowClass}
      />
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      {items.length === 0 ? empty : <Rows>{items.map(children)}</Rows>}
      {'fetchNextPage' in read && <LoadMore read={read} word={`Show older ${what}`} />}
    </>
  )
}

/** Takes the focus when the row that had it has gone. */
function Rows({ children }: { children: ReactNode[] }) {
  const list = useRef<HTMLUListElement>(null)
  const length = useRef(children.length)
  useEffect(() => {
    if (children.length < length.current && document.activeElement === document.body) list.current?.focus()
    length.current = children.length
  }, [children.length])
  return (
    <ul
      ref={list}
      tabIndex={-1}
      className="divide-y divide-line rounded-lg border border-line bg-surface outline-none"
    >
      {children}
    </ul>
  )
}
