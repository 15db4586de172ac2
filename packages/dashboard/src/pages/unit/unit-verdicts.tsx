import type { UnitVerdict } from '@runledger/protocol'
import { explainUnitVerdict } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { runLink } from '../../links'
import { ProcedureLink } from '../../parts/noun-links'
import { VerdictBadge } from '../../parts/unit-verdict'
import { MinuteTime } from '../../ui/time-text'

export function UnitVerdicts({ verdicts }: { verdicts: UnitVerdict[] }) {
  if (verdicts.length === 0)
    return (
      <p className="rounded-lg border border-line bg-surface px-4 py-3 text-soft">
        No completed run of a production procedure is on record. Runs of software are judged by their build.
      </p>
    )
  return (
    <section aria-label="Verdicts" className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3 print:grid-cols-3">
      {verdicts.map((verdict) => (
        <div
          key={verdict.procedure.id}
          className="flex flex-col items-start gap-1 rounded-lg border border-line bg-surface px-4 py-3 print:py-2"
        >
          <h2 className="font-medium wrap-anywhere">
            <ProcedureLink id={verdict.procedure.id} name={verdict.procedure.name} />
          </h2>
          <VerdictBadge verdict={verdict} size="large" />
          <p className="text-sm text-soft">
            {explainUnitVerdict(verdict)}
            {verdict.last_run && (
              <>
                {', '}
                <Link {...runLink(verdict.last_run.id)} className="text-soft underline">
                  <MinuteTime at={verdict.last_run.started_at} />
                </Link>
              </>
            )}
          </p>
        </div>
      ))}
    </section>
  )
}
