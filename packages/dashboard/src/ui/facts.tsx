import type { ReactNode } from 'react'

export interface Fact {
  label: string
  value: ReactNode
}

/** Labelled values, side by side where there is room. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-8 gap-y-3 min-[30rem]:grid-cols-2 lg:grid-cols-4">
      {facts.map(({ label, value }) => (
        <div key={label} className="min-w-0">
          <dt className="text-sm text-soft">{label}</dt>
          <dd className="break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
