import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { RunFilter } from '../run-filter'
import { newestRunQuery } from './run-list'

interface NewRuns {
  filter: RunFilter
  refreshMs: number
  /** The runs that are shown; undefined while they are not read yet, or where they are not to be read again. */
  shown: readonly { id: string }[] | undefined
  /** Reads the runs that are shown again. */
  onNew: () => Promise<{ isError: boolean }>
}

/**
 * Calls back when there is another newest run than there was, or one that is not shown. Where that failed, it calls
 * back again after the next answer. Returns why the newest run could not be asked for last.
 */
export function useNewRuns({ filter, refreshMs, shown, onNew }: NewRuns): Error | null {
  const query = { ...newestRunQuery(filter, refreshMs), enabled: shown !== undefined }
  const { data: newest, dataUpdatedAt, error } = useQuery(query)
  const known = useRef<string | null>(undefined)
  const lookedAt = useRef(0)
  useEffect(() => {
    // Once for each answer: a read that fails renders again, and would be followed by the next at once.
    if (newest === undefined || shown === undefined || dataUpdatedAt === lookedAt.current) return
    lookedAt.current = dataUpdatedAt
    const before = known.current
    known.current = newest
    const isShown = newest === null || shown.some(({ id }) => id === newest)
    if (before === undefined ? isShown : before === newest) return
    const read = async () => {
      const { isError } = await onNew()
      if (isError) known.current = before
    }
    void read()
  }, [newest, dataUpdatedAt, shown, onNew])
  return error
}
