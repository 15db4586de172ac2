import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowLeftRight } from 'lucide-react'
import { branchesQuery } from '../../api/history'
import { formatGroup } from '../../format/group'
import { compareLink } from '../../history-links'
import type { CompareSearch, Scope } from '../../page-search'
import { PageHead } from '../../parts/page-head'
import { Button } from '../../ui/button'
import { Picker } from '../../ui/picker'

/** Chooses the two sides; a build in the address stays until a branch replaces it. */
export function ComparePickers({ search }: { search: CompareSearch & Scope }) {
  const { data: branches = [] } = useQuery(branchesQuery(search.procedure))
  const navigate = useNavigate()
  const go = (part: CompareSearch) => void navigate(compareLink({ ...search, ...part }))
  const { base, base_branch, head, head_branch } = search
  const options = (group: string | undefined) => [
    ...(group === undefined ? [] : [{ value: `build ${group}`, text: `build ${formatGroup(group)}` }]),
    ...branches.map((name) => ({ value: name, text: name })),
  ]
  return (
    <>
      <PageHead title="Compare" hasBranch={false} />
      <div className="flex flex-wrap items-center gap-2">
        <Picker
          label="Look at"
          all="Look at a branch"
          value={head === undefined ? head_branch : `build ${head}`}
          options={options(head)}
          onChoose={(value) => go({ head: undefined, head_branch: value })}
        />
        <span className="text-sm text-soft">against</span>
        <Picker
          label="Compare with"
          all="Compare with a branch"
          value={base === undefined ? base_branch : `build ${base}`}
          options={options(base)}
          onChoose={(value) => go({ base: undefined, base_branch: value })}
        />
        <Button
          look="bare"
          onClick={() => go({ base: head, base_branch: head_branch, head: base, head_branch: base_branch })}
        >
          <ArrowLeftRight aria-hidden className="size-4" />
          Swap
        </Button>
      </div>
    </>
  )
}
