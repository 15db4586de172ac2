import type { ReactNode } from 'react'

/** The look of a link that chooses a part of the page; `isCurrent` is the one that is shown. */
export function tabClass(isCurrent: boolean): string {
  const look = isCurrent ? 'border-accent text-ink' : 'border-transparent text-soft hover:text-ink'
  return `-mb-px border-b-2 px-3 py-2 text-sm font-medium no-underline ${look}`
}

/** Links to the parts of a page, one of which is shown. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className="flex flex-wrap border-b border-line">
      {children}
    </nav>
  )
}
