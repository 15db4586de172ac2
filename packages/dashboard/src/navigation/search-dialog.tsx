import type { Found } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useDeferredValue, useState, type KeyboardEvent } from 'react'
import { searchQuery } from '../api/history'
import { runListLink } from '../links'
import { EMPTY_FILTER, parseFilterText } from '../run-filter'
import { Modal } from '../ui/modal'
import { FOUND_KINDS, foundLink } from './found-link'

/** One search over tests, builds, commits, branches, authors, owners, units, batches and errors. */
export function SearchDialog({ isOpen, onOpen }: { isOpen: boolean; onOpen: (isOpen: boolean) => void }) {
  return (
    <Modal
      isOpen={isOpen}
      onOpen={onOpen}
      className="inset-x-2 top-2 mx-auto flex max-h-[calc(100dvh-1rem)] max-w-2xl flex-col overflow-hidden sm:top-[12vh] sm:max-h-[70vh]"
    >
      <Dialog.Title className="sr-only">Search</Dialog.Title>
      <SearchBox onDone={() => onOpen(false)} />
    </Modal>
  )
}

const LIST_ID = 'search-results'

function SearchBox({ onDone }: { onDone: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const navigate = useNavigate()
  const { data, error, isFetching } = useQuery(searchQuery(useDeferredValue(text)))
  const found = text.trim().length < 2 ? [] : (data?.data ?? [])
  const count = text.trim() === '' ? 0 : found.length + 1
  const open = (index: number) => {
    const result = found[index]
    onDone()
    void navigate(result ? foundLink(result) : runListLink({ ...EMPTY_FILTER, ...parseFilterText(text) }))
  }
  const follow = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (count > 0) setAt((at + (event.key === 'ArrowDown' ? 1 : count - 1)) % count)
    }
    if (event.key === 'Enter' && count > 0) open(Math.min(at, count - 1))
  }
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Search aria-hidden className="size-5 shrink-0 text-soft" />
        <input
          role="combobox"
          aria-expanded={count > 0}
          aria-controls={LIST_ID}
          aria-activedescendant={count > 0 ? `found-${Math.min(at, count - 1)}` : undefined}
          aria-label="Search everything"
          placeholder="Test, build, commit, branch, author, unit, error, …"
          value={text}
          autoFocus
          onChange={({ target }) => {
            setText(target.value)
            setAt(0)
          }}
          onKeyDown={follow}
          className="h-12 min-w-0 grow bg-transparent outline-none placeholder:text-soft"
        />
        <kbd className="rounded border border-line bg-sunken px-1.5 font-mono text-sm text-soft">Esc</kbd>
      </div>
      <Results found={found} text={text} at={at} onOpen={open} />
      <p role="status" className="border-t border-line px-4 py-2 text-sm text-soft">
        {describe({ text, found: found.length, isFetching, error })}
      </p>
    </>
  )
}

interface ResultsProps {
  found: Found[]
  text: string
  /** Which of them Enter opens; the one after the last is the list of runs. */
  at: number
  onOpen: (index: number) => void
}

function Results({ found, text, at, onOpen }: ResultsProps) {
  return (
    <div id={LIST_ID} role="listbox" aria-label="Results" className="min-h-40 overflow-y-auto p-2">
      {found.map((one, index) => (
        <Result
          key={`${one.kind} ${one.id}`}
          found={one}
          heading={found[index - 1]?.kind === one.kind ? undefined : FOUND_KINDS[one.kind]}
          option={{ id: `found-${index}`, isChosen: index === at, onOpen: () => onOpen(index) }}
        />
      ))}
      {text.trim() !== '' && (
        <Option
          id={`found-${found.length}`}
          isChosen={at >= found.length}
          onOpen={() => onOpen(found.length)}
        >
          Runs with <span className="font-medium wrap-anywhere">{text.trim()}</span>
        </Option>
      )}
    </div>
  )
}

interface SearchState {
  text: string
  found: number
  isFetching: boolean
  error: Error | null
}

function describe({ text, found, isFetching, error }: SearchState): string {
  if (error) return `Could not search: ${error.message}`
  if (text.trim().length < 2) return 'Type at least two characters. Up and down choose, Enter opens.'
  if (isFetching) return 'Searching…'
  return found === 0
    ? `Nothing is called “${text.trim()}”.`
    : `${found} found; up and down choose, Enter opens.`
}

interface OptionProps {
  id: string
  isChosen: boolean
  onOpen: () => void
}

function Result({
  found,
  heading,
  option,
}: {
  found: Found
  heading: string | undefined
  option: OptionProps
}) {
  return (
    <>
      {heading !== undefined && (
        <div role="presentation" className="px-2 pt-2 pb-1 text-sm text-soft">
          {heading}
        </div>
      )}
      <Option {...option}>
        <span className="font-medium wrap-anywhere">{found.title}</span>
        {found.detail !== null && <span className="text-sm wrap-anywhere text-soft"> {found.detail}</span>}
      </Option>
    </>
  )
}

function Option({ id, isChosen, onOpen, children }: OptionProps & { children: React.ReactNode }) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      ref={(element) => {
        if (isChosen) element?.scrollIntoView({ block: 'nearest' })
      }}
      onClick={onOpen}
      className="cursor-pointer rounded-md px-2 py-1.5 hover:bg-sunken aria-selected:bg-sunken aria-selected:outline-2 aria-selected:outline-accent"
    >
      {children}
    </div>
  )
}
