import { RUN_OUTCOMES } from '@runledger/protocol'
import { describeOutcome } from '@runledger/protocol/reading'
import { Search } from 'lucide-react'
import { useId, useState, type FormEvent } from 'react'
import { parseFilterText, toggleOutcome, type RunFilter } from '../../run-filter'
import { Button } from '../../ui/button'

interface FilterBarProps {
  filter: RunFilter
  onChange: (filter: RunFilter) => void
}

/** Chooses outcomes and searches; `outcome:fail` and `group:…` may be typed among the words. */
export function FilterBar({ filter, onChange }: FilterBarProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchField key={filter.words} filter={filter} onChange={onChange} />
      <div role="group" aria-label="Outcome" className="flex flex-wrap gap-1.5">
        {RUN_OUTCOMES.map((outcome) => (
          <Button
            key={outcome}
            pressed={filter.outcomes.includes(outcome)}
            onClick={() => onChange(toggleOutcome(filter, outcome))}
          >
            {describeOutcome(outcome).word}
          </Button>
        ))}
      </div>
    </div>
  )
}

function SearchField({ filter, onChange }: FilterBarProps) {
  const [text, setText] = useState(filter.words)
  const inputId = useId()
  const search = (event: FormEvent) => {
    event.preventDefault()
    const typed = parseFilterText(text)
    onChange({
      group: typed.group ?? filter.group,
      outcomes: typed.outcomes.length > 0 ? typed.outcomes : filter.outcomes,
      words: typed.words,
    })
    setText(typed.words)
  }
  const clearWhenEmptied = (next: string) => {
    setText(next)
    if (next === '' && filter.words !== '') onChange({ ...filter, words: '' })
  }
  return (
    <form role="search" onSubmit={search} className="relative min-w-0 grow basis-72">
      <label htmlFor={inputId} className="sr-only">
        Search by file, branch, commit, serial number, part or procedure
      </label>
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-soft" />
      <input
        id={inputId}
        type="search"
        placeholder="File, branch, commit, serial number, …"
        value={text}
        onChange={({ target }) => clearWhenEmptied(target.value)}
        className="min-h-9 w-full rounded-md border border-soft bg-surface pr-2 pl-8 placeholder:text-soft"
      />
    </form>
  )
}
