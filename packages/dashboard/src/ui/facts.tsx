import type { ReactNode } from 'react'

export interface Fact {
  label: string
  value: ReactNode
}

/** Labelled values one after another, in as few lines as they need; a fact without a value is left out. */
export function FactLine({ facts }: { facts: Fact[] }) {
  const shown = facts.filter(
    ({ value }) => value !== undefined && value !== null && value !== false && value !== '',
  )
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-0.5 text-sm">
      {shown.map(({ label, value }) => (
        <div key={label} className="flex min-w-0 gap-1.5">
          <dt className="shrink-0 text-soft">{label}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
