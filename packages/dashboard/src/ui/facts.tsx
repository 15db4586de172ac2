import type { ReactNode } from 'react'

export interface Fact {
  label: string
  value: ReactNode
  /** Has the whole line where it is narrow. */
  isWide?: boolean
}

/** Labelled values, side by side where there is room. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 lg:grid-cols-4 lg:gap-x-8">
      {facts.map(({ label, value, isWide = false }) => (
        <div key={label} className={`min-w-0 ${isWide ? 'max-sm:col-span-2' : ''}`}>
          <dt className="text-sm text-soft">{label}</dt>
          <dd className="wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Labelled values one after another, in as few lines as they need. */
export function FactLine({ facts }: { facts: Fact[] }) {
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-0.5 text-sm">
      {facts.map(({ label, value }) => (
        <div key={label} className="flex min-w-0 gap-1.5">
          <dt className="shrink-0 text-soft">{label}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
