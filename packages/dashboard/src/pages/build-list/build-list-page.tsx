import { BUILD_STATES, type BuildState } from '@runledger/protocol'
import { BUILD_LOOKS } from '@runledger/protocol/reading'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Layers } from 'lucide-react'
import { isSignInNeeded } from '../../api/api-error'
import { buildListQuery } from '../../api/history'
import { buildListLink } from '../../history-links'
import { useListKeys } from '../../navigation/keys'
import type { BuildListSearch, Scope } from '../../page-search'
import { Definitions } from '../../parts/definitions'
import { FilterChips } from '../../parts/filter-chips'
import { PageHead } from '../../parts/page-head'
import { Button, buttonClass } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { ErrorState, StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { Loading } from '../../ui/loading'
import { BuildRows } from './build-rows'

/** The builds of a project and branch, the last started first. */
export function BuildListPage() {
  const search = useSearch({ from: '/builds' })
  const navigate = useNavigate()
  useListKeys()
  const change = (part: BuildListSearch) => void navigate(buildListLink({ ...search, ...part }))
  const { state = [], author, commit } = search
  const chips = [
    ...(author === undefined
      ? []
      : [{ label: 'Author', value: author, onRemove: () => change({ author: undefined }) }]),
    ...(commit === undefined
      ? []
      : [{ label: 'Commit', value: commit, onRemove: () => change({ commit: undefined }) }]),
  ]
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="Builds" />
      <div role="group" aria-label="State" className="flex flex-wrap gap-1.5">
        {BUILD_STATES.map((one) => (
          <Button
            key={one}
            pressed={state.includes(one)}
            onClick={() => change({ state: toggle(state, one) })}
          >
            {BUILD_LOOKS[one].word}
          </Button>
        ))}
      </div>
      <FilterChips chips={chips} />
      <BuildList search={search} />
    </div>
  )
}

function toggle(states: BuildState[], state: BuildState): BuildState[] {
  return states.includes(state) ? states.filter((one) => one !== state) : [...states, state]
}

function BuildList({ search }: { search: BuildListSearch & Scope }) {
  const { state, author, commit, procedure, branch } = search
  const filter = {
    states: state,
    authors: author,
    commits: commit,
    procedure_ids: procedure,
    branches: branch,
  }
  const read = useInfiniteQuery(buildListQuery(filter as object))
  if (read.isPending || isSignInNeeded(read.error))
    return <Loading label="Reading the builds" rows={10} rowClass="h-16" />
  if (!read.data) {
    return (
      <ErrorState
        title="The builds could not be read"
        error={read.error}
        onRetry={() => void read.refetch()}
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
