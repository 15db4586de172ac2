import { FileQuestionMark } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from './empty-state'
import { PageTitle } from './page-title'

/** The page for an unknown record. `children` say why and where to go. */
export function NoSuch({ what, children }: { what: string; children: ReactNode }) {
  return (
    <>
      <PageTitle text={`No such ${what}`} />
      <h1 className="sr-only">{`No such ${what}`}</h1>
      <EmptyState icon={FileQuestionMark} title={`There is no such ${what}`}>
        {children}
      </EmptyState>
    </>
  )
}
