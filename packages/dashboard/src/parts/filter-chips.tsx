import { X } from 'lucide-react'

interface FilterChipsProps<Name extends string> {
  labels: Readonly<Record<Name, string>>
  values: Readonly<Partial<Record<NoInfer<Name>, string | undefined>>>
  onRemove: (name: NoInfer<Name>) => void
}

/** What a list is narrowed to beside its other fields, each with a button that takes it away. */
export function FilterChips<Name extends string>({ labels, values, onRemove }: FilterChipsProps<Name>) {
  const names = (Object.keys(labels) as Name[]).filter((name) => values[name] !== undefined)
  if (names.length === 0) return null
  return (
    <ul aria-label="Narrowed to" className="flex flex-wrap gap-2">
      {names.map((name) => (
        <li
          key={name}
          className="inline-flex max-w-full items-center gap-1.5 rounded-full border border-line bg-surface py-0.5 pr-1 pl-3 text-sm"
        >
          <span className="min-w-0 wrap-anywhere">
            <span className="text-soft">{labels[name]}</span> {values[name]}
          </span>
          <button
            type="button"
            aria-label={`Remove ${labels[name]} ${values[name]}`}
            onClick={() => onRemove(name)}
            className="rounded-full p-1 text-soft hover:bg-sunken hover:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  )
}
