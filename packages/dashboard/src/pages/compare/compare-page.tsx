import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { GitCompare } from 'lucide-react'
import { ApiError } from '../../api/api-error'
import { comparisonQuery, proceduresQuery } from '../../api/history'
import { useListKeys } from '../../navigation/keys'
import type { CompareSearch } from '../../page-search'
import { Definitions } from '../../parts/definitions'
import { Unread } from '../../parts/unread'
import { EmptyState } from '../../ui/empty-state'
import { ComparePickers } from './compare-pickers'
import { ComparisonView } from './comparison-view'

export function ComparePage() {
  const search = useSearch({ from: '/compare' })
  useListKeys()
  const { data: procedures } = useQuery(proceduresQuery)
  const isOpen = search.procedure === undefined && (procedures?.data.length ?? 0) > 1
  // Branches of two projects may have one name.
  const needsProject = isOpen && (search.base_branch ?? search.head_branch) !== undefined
  const hasBoth = Boolean((search.base ?? search.base_branch) && (search.head ?? search.head_branch))
  return (
    <div className="flex flex-col gap-4">
      <ComparePickers search={search} />
      {needsProject ? (
        <EmptyState icon={GitCompare} title="Choose the project">
          <p className="max-w-prose text-soft">
            Several projects have builds. Choose at the top whose branches to compare.
          </p>
        </EmptyState>
      ) : hasBoth ? (
        <Compared search={search} procedure={search.procedure} />
      ) : (
        <EmptyState icon={GitCompare} title="Choose what to compare">
          <p className="max-w-prose text-soft">
            Choose a branch to look at, and the one that it is compared with: the last build of each is taken.
            The page of a build compares it with the build before.
          </p>
        </EmptyState>
      )}
    </div>
  )
}

function Compared({ search, procedure }: { search: CompareSearch; procedure: string | undefined }) {
  const { base, base_branch: baseBranch, head, head_branch: headBranch } = search
  const read = useQuery(
    comparisonQuery({
      base,
      base_branch: base === undefined ? baseBranch : undefined,
      head,
      head_branch: head === undefined ? headBranch : undefined,
      procedure_id: procedure,
    }),
  )
  if (read.data) {
    return (
      <>
        <ComparisonView comparison={read.data} />
        <Definitions of={['slower', 'cause']} />
      </>
    )
  }
  if (read.error instanceof ApiError && read.error.statusCode === 404) {
    return (
      <EmptyState icon={GitCompare} title="One of the two has no build on record">
        <p className="max-w-prose wrap-anywhere text-soft">{read.error.message}</p>
      </EmptyState>
    )
  }
  return <Unread read={read} label="Comparing" title="They could not be compared" rows={8} rowClass="h-14" />
}
