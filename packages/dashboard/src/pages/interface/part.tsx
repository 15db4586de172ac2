import type { ReactNode } from 'react'

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 text-sm font-semibold text-soft">{title}</h3>
      {children}
    </section>
  )
}
