import type { YieldList } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lineFailuresQuery, yieldsQuery } from '../../api/line'
import { lineLink, lineProcedureLink } from '../../line-links'
import { DEFAULT_DAYS, DEFAULT_GROUP, type LineDays, type LineProcedureSearch } from '../../line-search'
import { facetLink } from '../../links'
import { useListKeys } from '../../navigation/keys'
import { DaysChoice } from '../../parts/days-choice'
import { Definitions } from '../../parts/definitions'
import { Unread } from '../../parts/unread'
import { BackLink } from '../../ui/back-link'
import { StaleNotice } from '../../ui/error-state'
import { NoSuch } from '../../ui/no-such'
import { PageTitle } from '../../ui/page-title'
import { FailingMeasurements } from './failing-measurements'
import { YieldNumbers } from './yield-numbers'
import { YieldsBy } from './yields-by'

const DEFINED = [
  'firstPassEver',
  'firstPassOfDay',
  'laterPasses',
  'yieldInterval',
  'worstRow',
  'samples',
  'pareto',
] as const

export function LineProcedurePage() {
  const { procedure } = useParams({ from: '/line/$procedure' })
  const search = useSearch({ from: '/line/$procedure' })
  const { days = DEFAULT_DAYS, by = DEFAULT_GROUP } = search
  const navigate = useNavigate()
  useListKeys()
  const yields = useQuery(yieldsQuery(procedure, search))
  const failures = useQuery(lineFailuresQuery(procedure, search))
  const change = (part: LineProcedureSearch) =>
    void navigate({
      ...lineProcedureLink(procedure, { days, by, ...part }),
      replace: true,
      resetScroll: false,
    })
  if (!yields.data) {
    return (
      <Unread
        isPage
        read={yields}
        label="Reading the procedure"
        title="The procedure could not be read"
        rows={12}
        rowClass="h-14"
        unknown={<UnknownProcedure />}
      />
    )
  }
  const named = yields.data.procedure
  const error = yields.error ?? failures.error
  return (
    <div className="flex flex-col gap-4">
      <PageTitle text={named.name} />
      {error && <StaleNotice error={error} />}
      <ProcedureHead procedure={named} days={days} onDays={(one) => change({ days: one })} />
      <YieldNumbers yields={yields.data} />
      <YieldsBy yields={yields.data} days={days} onChoose={(one) => change({ by: one })} />
      {failures.data ? (
        <FailingMeasurements failures={failures.data} days={days} />
      ) : (
        <Unread
          read={failures}
          label="Reading what fails"
          title="What fails could not be read"
          rows={6}
          rowClass="h-10"
        />
      )}
      <Definitions of={DEFINED} />
    </div>
  )
}

interface ProcedureHeadProps {
  procedure: YieldList['procedure']
  days: LineDays
  onDays: (days: LineDays) => void
}

function ProcedureHead({ procedure: { id, name, identifier }, days, onDays }: ProcedureHeadProps) {
  return (
    <header className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <BackLink link={lineLink({ days })}>The line</BackLink>
        <DaysChoice days={days} onChoose={onDays} />
      </div>
      <h1 className="min-w-0 text-2xl font-semibold wrap-anywhere">{name}</h1>
      <p className="text-sm text-soft">
        {identifier} ·{' '}
        <Link {...facetLink('procedure', id)} className="underline">
          its runs
        </Link>
      </p>
    </header>
  )
}

function UnknownProcedure() {
  return (
    <NoSuch what="procedure">
      <p className="text-soft">The link may be cut short, or the procedure was deleted.</p>
      <Link {...lineLink({ procedure: undefined })}>See all procedures of the line</Link>
    </NoSuch>
  )
}
