import { explainVerdict, findVerdict, type StepNode, VERDICT_LOOKS } from '@runledger/presentation'
import { useQuery } from '@tanstack/react-query'
import { runVerdictsQuery } from '../../api/verdicts'
import { KnownRunLink } from '../../parts/known-run-link'
import { Badge } from '../../ui/badge'
import { useRunFacts } from './run-context'

/** Whether a failure is new, and the evidence; nothing while unknown, and for errors that belong to no test. */
export function FailureVerdict({ node }: { node: StepNode }) {
  const { run, tree } = useRunFacts()
  const { data } = useQuery({ ...runVerdictsQuery(run.id), enabled: run.outcome !== 'PASS' })
  const failure = findVerdict(tree, node.index, data)
  if (!failure) return null
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <Badge {...VERDICT_LOOKS[failure.verdict]} />
      <span className="min-w-0 text-soft">
        {explainVerdict(failure).map((part) =>
          typeof part === 'string' ? part : <KnownRunLink key={part.id} run={part} />,
        )}
      </span>
    </p>
  )
}
