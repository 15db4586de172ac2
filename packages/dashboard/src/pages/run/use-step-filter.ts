import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { toStepSearch, type StepFilter } from './filter-steps'

const TYPED_MS = 300

/**
 * Which steps are shown, kept in the address: a link shows the same, and Back takes an outcome back that was chosen. What
 * is typed gets there when nobody types for a moment, in place of what was typed before.
 */
export function useStepFilter(): [StepFilter, (filter: StepFilter) => void] {
  const { show, q = '' } = useSearch({ from: '/runs/$id' })
  const navigate = useNavigate({ from: '/runs/$id' })
  const [words, setWords] = useState(q)
  const written = useRef(q)
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(waiting.current), [])
  useEffect(() => {
    // By Back, Forward or a link, not by what was typed here.
    if (q !== written.current) setWords(q)
    written.current = q
  }, [q])
  const setFilter = useCallback(
    (filter: StepFilter) => {
      const write = (replace: boolean) => {
        const search = toStepSearch(filter)
        written.current = search.q ?? ''
        void navigate({ search, hash: true, replace, resetScroll: false })
      }
      clearTimeout(waiting.current)
      setWords(filter.words)
      if (filter.className === show) waiting.current = setTimeout(() => write(true), TYPED_MS)
      else write(false)
    },
    [navigate, show],
  )
  return [{ className: show, words }, setFilter]
}
