import type { StepNode } from '@runledger/presentation'
import { useContext, useMemo } from 'react'
import { AttemptTabs } from './attempt-tabs'
import { listAttempts, type AttemptView } from './attempts'
import { SUITE_LOG_ANCHOR } from './attachment-text'
import { CodeFrame } from '../../parts/code-frame'
import { TargetContext } from './hash'
import { selectLogsWithin } from './log-list'
import { useRunFacts } from './run-context'

/** All that is on record of a step besides its name and times: its attempts with their errors and attachments. */
export function StepDetails({ node, isFirst = false }: { node: StepNode; isFirst?: boolean }) {
  const { run, bySteps, linkSource, suiteLogId } = useRunFacts()
  const { log } = useContext(TargetContext)
  const { phase, index } = node
  const attempts = useMemo(() => listAttempts(phase, bySteps.get(index)), [phase, bySteps, index])
  const logs = useMemo(
    () => (node.className === 'failed' ? selectLogsWithin(run.logs, phase) : []),
    [node, run, phase],
  )
  const isUnexplained = node.className === 'failed' && attempts.every(({ errors }) => errors.length === 0)
  return (
    <>
      {phase.docstring && <p className="mb-2 max-w-prose whitespace-pre-line text-soft">{phase.docstring}</p>}
      {phase.more_attempts !== undefined && phase.more_attempts > 0 && (
        <p className="mb-2 text-sm text-soft">
          {phase.more_attempts.toLocaleString('en')} of its attempts were not kept.
        </p>
      )}
      {isUnexplained && phase.measurements.length === 0 && (
        <p className="mb-2 text-sm">
          {suiteLogId === undefined ? (
            'No error is on record.'
          ) : (
            <a href={`#${SUITE_LOG_ANCHOR}`}>Why it failed is in the log</a>
          )}
        </p>
      )}
      {phase.snippet !== undefined && !isToldBy(attempts, phase.snippet) && (
        <div className="mb-4">
          <CodeFrame
            linkSource={linkSource}
            snippet={phase.snippet}
            location={phase.location}
            isFailing={node.className === 'failed'}
          />
        </div>
      )}
      <AttemptTabs
        attempts={attempts}
        node={node}
        linkSource={linkSource}
        logs={logs}
        isFirst={isFirst}
        shownAttachment={log?.attachmentId}
      />
    </>
  )
}

/** Tells whether an error shows the code around the call already. */
function isToldBy(attempts: AttemptView[], snippet: string): boolean {
  return attempts.some(({ errors }) => errors.some((error) => error.snippet === snippet))
}
