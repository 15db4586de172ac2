import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Factory } from 'lucide-react'
import { lineQuery } from '../../api/line'
import { lineLink } from '../../line-links'
import { DEFAULT_DAYS } from '../../line-search'
import { interfaceLink } from '../../links'
import { useListKeys } from '../../navigation/keys'
import { Definitions } from '../../parts/definitions'
import { DaysChoice } from '../../parts/days-choice'
import { PageHead } from '../../parts/page-head'
import { Unread } from '../../parts/unread'
import { buttonClass } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { StaleNotice } from '../../ui/error-state'
import { ProcedureRows } from './procedure-rows'

export function LinePage() {
  const search = useSearch({ from: '/line' })
  const { days = DEFAULT_DAYS } = search
  const navigate = useNavigate()
  useListKeys()
  const read = useQuery(lineQuery(search))
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="Line" hasBranch={false}>
        <DaysChoice days={days} onChoose={(one) => void navigate(lineLink({ days: one }))} />
      </PageHead>
      {read.data ? (
        <>
          {read.error && <StaleNotice error={read.error} />}
          {read.data.data.length === 0 ? <NoLine /> : <ProcedureRows list={read.data} days={days} />}
          <Definitions
            of={[
              'firstPassEver',
              'yieldInterval',
              'samples',
              'lineControl',
              'control',
              'pareto',
              'worstBatchOfPeriod',
            ]}
          />
        </>
      ) : (
        <Unread
          read={read}
          label="Reading the line"
          title="The line could not be read"
          rows={4}
          rowClass="h-24"
        />
      )}
    </div>
  )
}

function NoLine() {
  return (
    <EmptyState icon={Factory} title="No procedure has tested a unit">
      <p className="max-w-prose text-soft">
        A procedure is here once a run of it names a unit with a serial number of its own. Choose all
        projects, or send the first run of a bench.
      </p>
      <Link {...lineLink({ procedure: undefined })} className={buttonClass()}>
        Show all projects
      </Link>
      <Link {...interfaceLink('createRun')}>How to send a run</Link>
    </EmptyState>
  )
}
