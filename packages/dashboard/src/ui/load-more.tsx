import { Button } from './button'

interface Pages {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => Promise<unknown>
}

/** Reads the next page of a list, while there is one. */
export function LoadMore({ read, word }: { read: Pages; word: string }) {
  if (!read.hasNextPage) return null
  return (
    <Button
      className="self-center"
      disabled={read.isFetchingNextPage}
      onClick={() => void read.fetchNextPage()}
    >
      {read.isFetchingNextPage ? 'Reading…' : word}
    </Button>
  )
}
