import { Link } from '@tanstack/react-router'
import { FileQuestionMark } from 'lucide-react'
import { runListLink } from '../../links'
import { EMPTY_FILTER } from '../../run-filter'
import { EmptyState } from '../../ui/empty-state'
import { PageTitle } from '../../ui/page-title'

export function NotFoundPage() {
  return (
    <>
      <PageTitle text="Not found" />
      <h1 className="sr-only">Not found</h1>
      <EmptyState icon={FileQuestionMark} title="There is no such page">
        <p className="text-soft">The address may be mistyped, or what it showed may be gone.</p>
        <Link {...runListLink(EMPTY_FILTER)}>See all runs</Link>
      </EmptyState>
    </>
  )
}
