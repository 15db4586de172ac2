import type { CountedAs, TestCounts } from '@runledger/protocol'
import { ChevronDown, ChevronUp, Keyboard } from 'lucide-react'
import type { RefObject } from 'react'
import { Button } from '../../ui/button'
import type { StepFilter } from './filter-steps'

const CLASSES: [CountedAs, keyof TestCounts, string][] = [
  ['failed', 'failed', 'Failed'],
  ['error', 'errors', 'Errors outside of tests'],
  ['flaky', 'flaky', 'Flaky'],
  ['passed', 'passed', 'Passed'],
  ['skipped', 'skipped', 'Skipped'],
]

interface StepToolbarProps {
  counts: TestCounts
  filter: StepFilter
  onFilter: (filter: StepFilter) => void
  search: RefObject<HTMLInputElement | null>
  failures: { count: number; at: number | undefined; onMove: (by: number) => void }
  onHelp: () => void
}

/** What is shown of the run's steps, and the way from failure to failure. */
export function StepToolbar({ counts, filter, onFilter, search, failures, onHelp }: StepToolbarProps) {
  return (
    <div
      role="search"
      aria-label="Steps"
      className="sticky top-0 z-10 -mx-4 flex items-center gap-2 border-b max-sm:flex-wrap border-line bg-canvas px-4 py-2"
    >
      <input
        ref={search}
        type="search"
        value={filter.words}
        onChange={({ target }) => onFilter({ ...filter, words: target.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          onFilter({ ...filter, words: '' })
          event.currentTarget.blur()
        }}
        placeholder="Name or error"
        aria-label="Find in names and errors"
        className="min-h-9 w-44 min-w-0 grow rounded-md border border-soft bg-surface px-3 text-sm placeholder:text-soft sm:max-w-80"
      />
      <div
        role="group"
        aria-label="Outcome"
        className="flex shrink-0 gap-1 max-sm:order-last max-sm:w-full max-sm:overflow-x-auto"
      >
        {CLASSES.filter(([, counted]) => counts[counted] > 0).map(([name, counted, word]) => (
          <Button
            key={name}
            pressed={filter.className === name}
            onClick={() => onFilter({ ...filter, className: filter.className === name ? undefined : name })}
          >
            {word} <span className="numeric font-normal">{counts[counted].toLocaleString('en')}</span>
          </Button>
        ))}
      </div>
      <div className="ml-auto flex shrink-0 items-center">
        {failures.count > 0 && (
          <>
            <span role="status" className="numeric text-sm text-soft max-sm:sr-only">
              {failures.at !== undefined && `Failure ${failures.at + 1} of ${failures.count}`}
            </span>
            <Button look="bare" aria-label="Previous failure (k)" onClick={() => failures.onMove(-1)}>
              <ChevronUp aria-hidden className="size-4" />
            </Button>
            <Button look="bare" aria-label="Next failure (j)" onClick={() => failures.onMove(1)}>
              <ChevronDown aria-hidden className="size-4" />
            </Button>
          </>
        )}
        <Button look="bare" aria-label="Keyboard (?)" onClick={onHelp} className="max-sm:hidden">
          <Keyboard aria-hidden className="size-4" />
        </Button>
      </div>
    </div>
  )
}
