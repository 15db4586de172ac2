import type { RunDetail } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { FileQuestionMark } from 'lucide-react'
import { useMemo } from 'react'
import { ApiError, isSignInNeeded } from '../../api/api-error'
import { isArriving, runQuery } from '../../api/run-detail'
import { describeOutcome } from '../../format/outcome'
import { runListLink } from '../../links'
import { EMPTY_FILTER } from '../../run-filter'
import { EmptyState } from '../../ui/empty-state'
import { ErrorState, StaleNotice } from '../../ui/error-state'
import { Loading } from '../../ui/loading'
import { findSuiteLog } from './attachment-kind'
import { LogList } from './log-list'
import { MissingAttachments } from './missing-attachments'
import { OtherAttachments } from './other-attachments'
import { ReportVariables } from './report-variables'
import { RunHead } from './run-head'
import { groupAttachments, listMissing } from './step-attachments'
import { StepList } from './step-list'
import { SubUnits } from './sub-units'

/** One run: what it came to, its steps with what they left behind, and everything else on record about it. */
export function RunPage() {
  const { id } = useParams({ from: '/runs/$id' })
  const read = useQuery(runQuery(id))
  if (read.data) {
    return (
      <>
        {read.error && <StaleNotice error={read.error} />}
        <RunView key={id} run={read.data.run} />
      </>
    )
  }
  if (read.isPending || isSignInNeeded(read.error)) return <Loading label="Reading the run" rows={10} />
  // The service answers 400 for an id that cannot be one.
  const isUnknown = read.error instanceof ApiError && [400, 404].includes(read.error.statusCode)
  if (isUnknown) return <UnknownRun />
  return (
    <ErrorState title="The run could not be read" error={read.error} onRetry={() => void read.refetch()} />
  )
}

function RunView({ run }: { run: RunDetail }) {
  const grouped = useMemo(
    () =>
      groupAttachments(
        run.phases.map(({ name }) => name),
        run.attachments,
      ),
    [run],
  )
  const missing = useMemo(() => listMissing(run.declared_attachments, run.attachments), [run])
  const suiteLog = run.outcome === 'PASS' ? undefined : findSuiteLog(grouped.others)
  const title = `${describeOutcome(run.outcome).word}: ${run.procedure.name} on ${run.unit.serial_number}`
  return (
    <div className="flex flex-col gap-5">
      <title>{`${title} · Runledger`}</title>
      <RunHead run={run} />
      <StepList
        phases={run.phases}
        bySteps={grouped.bySteps}
        runOutcome={run.outcome}
        hasLog={suiteLog !== undefined}
      />
      {grouped.others.length > 0 && <OtherAttachments attachments={grouped.others} openId={suiteLog?.id} />}
      {missing.length > 0 && <MissingAttachments names={missing} isArriving={isArriving(run, Date.now())} />}
      {run.logs.length > 0 && <LogList logs={run.logs} />}
      {run.sub_units.length > 0 && <SubUnits subUnits={run.sub_units} />}
      {Object.keys(run.metadata).length > 0 && <ReportVariables variables={run.metadata} />}
    </div>
  )
}

function UnknownRun() {
  return (
    <>
      <title>No such run · Runledger</title>
      <h1 className="sr-only">No such run</h1>
      <EmptyState icon={FileQuestionMark} title="There is no such run">
        <p className="text-soft">The link may be cut short, or the run was deleted.</p>
        <Link {...runListLink(EMPTY_FILTER)}>See all runs</Link>
      </EmptyState>
    </>
  )
}
