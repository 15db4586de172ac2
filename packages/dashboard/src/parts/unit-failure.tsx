import type { FailureVerdict, RunFailure } from '@runledger/protocol'
import { explainVerdict, VERDICT_LOOKS } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { runLink } from '../links'
import { Badge } from '../ui/badge'
import { KnownRunLink } from './known-run-link'

interface UnitFailureProps {
  failure: RunFailure
  runId: string
  /** Earlier results of the unit and others at this step; undefined if not requested. */
  verdict: FailureVerdict | undefined
}

/** A step of a unit's run that failed: what was measured, and whether it is the first time. */
export function UnitFailure({ failure, runId, verdict }: UnitFailureProps) {
  return (
    <div className="flex flex-col gap-0.5 text-sm print:text-xs">
      <p className="wrap-anywhere">
        <Link {...runLink(runId, failure.step)} className="font-medium">
          {failure.name}
        </Link>
        {failure.message !== undefined && <span className="whitespace-pre-line">: {failure.message}</span>}
      </p>
      {verdict && (
        <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1 text-soft sm:flex-nowrap">
          <Badge {...VERDICT_LOOKS[verdict.verdict]} />
          <span className="min-w-0">
            {explainVerdict(verdict).map((part) =>
              typeof part === 'string' ? part : <KnownRunLink key={part.id} run={part} />,
            )}
          </span>
        </p>
      )}
    </div>
  )
}
