import { Search } from 'lucide-react'
import { useId, useState, type FormEvent } from 'react'

interface SearchFieldProps {
  /** What it searches, for those who hear it. */
  label: string
  placeholder: string
  value: string
  /** Called with the text without spaces around it, undefined for none. */
  onSearch: (text: string | undefined) => void
}

/** A field that searches when Enter is pressed, and when it is emptied. */
export function SearchField({ label, placeholder, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const id = useId()
  const search = (event: FormEvent) => {
    event.preventDefault()
    onSearch(text.trim() || undefined)
  }
  const change = (next: string) => {
    setText(next)
    if (next === '' && value !== '') onSearch(undefined)
  }
  return (
    <form role="search" aria-label={label} onSubmit={search} className="relative min-w-0 grow basis-60">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-soft" />
      <input
        id={id}
        type="search"
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => change(target.value)}
        className="min-h-9 w-full rounded-md border border-soft bg-surface pr-2 pl-8 placeholder:text-soft"
      />
    </form>
  )
}
