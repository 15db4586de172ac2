import { X } from 'lucide-react'

export interface Chip {
  label: string
  value: string
  onRemove: () => void
}

/** What a list is narrowed to beside its other fields, each with a button that takes it away. */
export function FilterChips({ chips }: { chips: Chip[] }) {
  if (chips.length === 0) return null
  return (
    <ul aria-label="Narrowed to" className="flex flex-wrap gap-2">
      {chips.map(({ label, value, onRemove }) => (
        <li
          key={label}
          className="inline-flex max-w-full items-center gap-1.5 rounded-full border border-line bg-surface py-0.5 pr-1 pl-3 text-sm"
        >
          <span className="min-w-0 wrap-anywhere">
            <span className="text-soft">{label}</span> {value}
          </span>
          <button
            type="button"
            aria-label={`Remove ${label} ${value}`}
            onClick={onRemove}
            className="rounded-full p-1 text-soft hover:bg-sunken hover:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  )
}
