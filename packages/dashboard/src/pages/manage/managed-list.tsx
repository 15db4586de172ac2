import type { ReactNode } from 'react'
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
  empty,
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
  if (items.length === 0 && empty !== undefined) return empty
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">{items.map(children)}</ul>
      {'fetchNextPage' in read && <LoadMore read={read} word={`Show older ${what}`} />}
    </>
  )
}
