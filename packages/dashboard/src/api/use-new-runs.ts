import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { RunFilter } from '../run-filter'
import { newestRunQuery } from './run-list'

interface NewRuns {
  filter: RunFilter
  refreshMs: number
  /** The runs that are shown; undefined while they are not read yet, or where they are not to be read again. */
  shown: readonly { id: string }[] | undefined
  onNew: () => void
}

/** Calls back when there is another newest run than there was, or one that is not shown. */
export function useNewRuns({ filter, refreshMs, shown, onNew }: NewRuns): void {
  const { data: newest } = useQuery({ ...newestRunQuery(filter, refreshMs), enabled: shown !== undefined })
  const known = useRef<string | null>(undefined)
  useEffect(() => {
    if (newest === undefined || shown === undefined || newest === known.current) return
    const isNew = known.current !== undefined || (newest !== null && !shown.some(({ id }) => id === newest))
    known.current = newest
    if (isNew) onNew()
  }, [newest, shown, onNew])
}
