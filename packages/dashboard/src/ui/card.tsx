import { useId, type ReactNode } from 'react'

interface CardProps {
  title: string
  /** Shown beside the title. */
  aside?: ReactNode
  children: ReactNode
}

/** A titled part of a page. */
export function Card({ title, aside, children }: CardProps) {
  const titleId = useId()
  return (
    <section aria-labelledby={titleId} className="rounded-lg border border-line bg-surface">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 print:break-after-avoid print:py-1.5">
        <h2 id={titleId} className="text-base font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
