import type { Home } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { homeQuery } from '../../api/history'
import { useListKeys } from '../../navigation/keys'
import { Definitions } from '../../parts/definitions'
import { NoRuns } from '../../parts/no-runs'
import { PageHead } from '../../parts/page-head'
import { Unread } from '../../parts/unread'
import { EMPTY_FILTER } from '../../run-filter'
import { StaleNotice } from '../../ui/error-state'
import { LineRows } from './line-rows'
import { NeedsYou } from './needs-you'
import { ProjectRows } from './project-rows'

export function HomePage() {
  const { procedure } = useSearch({ from: '/' })
  useListKeys()
  const read = useQuery(homeQuery)
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="Home" hasBranch={false} />
      {read.data ? (
        <>
          {read.error && <StaleNotice error={read.error} />}
          <HomeView home={narrow(read.data, procedure)} />
        </>
      ) : (
        <Unread
          read={read}
          label="Reading the projects"
          title="Home could not be read"
          rows={8}
          rowClass="h-20"
        />
      )}
    </div>
  )
}

function narrow(home: Home, procedure: string | undefined): Home {
  if (procedure === undefined) return home
  const isOfIt = (one: { procedure: { id: string } }) => one.procedure.id === procedure
  return {
    projects: home.projects.filter(isOfIt),
    lines: home.lines.filter(isOfIt),
    needs_you: home.needs_you.filter(isOfIt),
  }
}

function HomeView({ home }: { home: Home }) {
  const { projects, lines } = home
  if (projects.length === 0 && lines.length === 0) return <NoRuns filter={EMPTY_FILTER} />
  return (
    <>
      {projects.length > 0 && <ProjectRows projects={projects} />}
      {lines.length > 0 && <LineRows lines={lines} />}
      <NeedsYou home={home} />
      <Definitions of={['state', 'incomplete', 'infrastructure', 'slowerTests', 'firstPass', 'worstBatch']} />
    </>
  )
}
