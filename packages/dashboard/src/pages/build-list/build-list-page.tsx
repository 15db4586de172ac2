import { BUILD_STATES } from '@runledger/protocol'
import { BUILD_LOOKS } from '@runledger/presentation'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Layers } from 'lucide-react'
import { buildListQuery } from '../../api/history'
import { buildListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import type { BuildListSearch, Scope } from '../../page-search'
import { Definitions } from '../../parts/definitions'
import { FilterChips } from '../../parts/filter-chips'
import { PageHead } from '../../parts/page-head'
import { Unread } from '../../parts/unread'
import { buttonClass } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { Toggles } from '../../ui/toggles'
import { BuildRows } from './build-rows'

const FACETS = { author: 'Author', commit: 'Commit' } as const

export function BuildListPage() {
  const search = useSearch({ from: '/builds' })
  const navigate = useNavigate()
  useListKeys()
  const change = (part: BuildListSearch) => void navigate(buildListLink({ ...search, ...part }))
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="Builds" />
      <Toggles
        label="State"
        values={BUILD_STATES}
        chosen={search.state ?? []}
        wordOf={(one) => BUILD_LOOKS[one].word}
        onChange={(state) => change({ state })}
      />
      <FilterChips labels={FACETS} values={search} onRemove={(name) => change({ [name]: undefined })} />
      <BuildList search={search} />
    </div>
  )
}

function BuildList({ search }: { search: BuildListSearch & Scope }) {
  const { state, author, commit, procedure, branch } = search
  const read = useInfiniteQuery(
    buildListQuery({
      states: state,
      authors: author,
      commits: commit,
      procedure_ids: procedure,
      branches: branch,
    }),
  )
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the builds"
        title="The builds could not be read"
        rows={10}
        rowClass="h-16"
      />
    )
  }
  const builds = read.data.pages.flatMap(({ data }) => data)
  if (builds.length === 0) return <NoBuilds />
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <BuildRows builds={builds} />
      <LoadMore read={read} word="Show older builds" />
      <Definitions of={['incomplete', 'infrastructure']} />
    </>
  )
}

function NoBuilds() {
  return (
    <EmptyState icon={Layers} title="No build matches">
      <p className="max-w-prose text-soft">
        A build is all runs with one group: what a CI build or one execution of a reporter sends. Choose
        another project or branch, or take a filter away.
      </p>
      <Link {...buildListLink({ procedure: undefined, branch: undefined })} className={buttonClass()}>
        Show all builds
      </Link>
    </EmptyState>
  )
}
