import type { ReactNode } from 'react'
import { ScopePickers } from '../navigation/scope-pickers'
import { MarkdownLink } from '../ui/markdown-link'
import { PageTitle } from '../ui/page-title'

interface PageHeadProps {
  title: string
  hasBranch?: boolean
  markdown?: string
  children?: ReactNode
}

/** Heads a page of the site: its title, the project and branch it shows, and what else chooses. */
export function PageHead({ title, hasBranch = true, markdown, children }: PageHeadProps) {
  return (
    <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <PageTitle text={title} />
      <h1 className="text-2xl font-semibold">{title}</h1>
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        {markdown !== undefined && <MarkdownLink address={markdown} />}
        <ScopePickers hasBranch={hasBranch} />
        {children}
      </div>
    </header>
  )
}
