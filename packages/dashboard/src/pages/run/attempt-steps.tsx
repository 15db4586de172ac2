import { formatDuration, formatLocation, listAttemptSteps, type StepNode } from '@runledger/presentation'
import { ChevronRight, CircleCheck, CircleX, Paperclip } from 'lucide-react'
import { useState } from 'react'
import { CodeFrame } from '../../parts/code-frame'
import { MadeAttachment } from './made-attachment'
import { Place } from '../../parts/place'
import { useRunFacts } from './run-context'

interface AttemptStepsProps {
  test: StepNode
  /** Number of the attempt; undefined for the last one. */
  attempt: number | undefined
}

/** What a test did in one of its attempts: open where it failed. */
export function AttemptSteps({ test, attempt }: AttemptStepsProps) {
  const { tree } = useRunFacts()
  const steps = listAttemptSteps(tree, test, attempt)
  if (steps.length === 0) {
    // Of a test with no steps at all nothing is missing.
    const isMissed = attempt !== undefined && listAttemptSteps(tree, test).length > 0
    return isMissed && <p className="text-sm text-soft">The steps of this attempt are not on record.</p>
  }
  return (
    // Not a landmark: several failures of a page have one.
    <div role="group" aria-label="Steps of this attempt">
      <p className="mb-1 text-sm font-semibold">Steps</p>
      <Steps steps={steps} />
    </div>
  )
}

function Steps({ steps }: { steps: readonly StepNode[] }) {
  return (
    <ul className="flex flex-col">
      {steps.map((step) => (
        <AttemptStep key={step.index} step={step} />
      ))}
    </ul>
  )
}

function AttemptStep({ step }: { step: StepNode }) {
  const { tree, linkSource, made, codeAt } = useRunFacts()
  const { phase, index, name, className } = step
  const hasFailed = className === 'failed'
  const [isOpen, setIsOpen] = useState(hasFailed && step.children.length > 0)
  const inner = step.children.flatMap((child) => tree.nodes[child] ?? [])
  const file = made.get(index)
  // The code around a call is on record with the last attempt alone.
  const snippet = phase.snippet ?? (phase.location && codeAt.get(formatLocation(phase.location)))
  const hasMore = inner.length > 0 || file !== undefined || snippet !== undefined
  const Icon = hasFailed ? CircleX : CircleCheck
  return (
    <li>
      <div className="flex items-baseline gap-x-2 text-sm">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <button
            type="button"
            disabled={!hasMore}
            aria-expanded={hasMore ? isOpen : undefined}
            onClick={() => setIsOpen(!isOpen)}
            className="flex min-w-0 items-baseline gap-1.5 rounded text-left enabled:hover:text-accent"
          >
            <ChevronRight
              aria-hidden
              className={`size-4 shrink-0 self-center ${isOpen ? 'rotate-90' : ''} ${hasMore ? '' : 'invisible'}`}
            />
            <Icon
              aria-label={hasFailed ? 'Failed' : 'Passed'}
              className={`size-4 shrink-0 self-center ${hasFailed ? 'text-bad' : 'text-good'}`}
            />
            <span className={`min-w-0 wrap-anywhere ${hasFailed ? 'font-medium' : ''}`}>{name}</span>
            {file && <Paperclip aria-label="Has an attachment" className="size-3.5 shrink-0 self-center" />}
          </button>
          {phase.location && (
            // On a phone below the name, not below the icons.
            <span className="max-sm:basis-full max-sm:pl-11">
              <Place location={phase.location} linkSource={linkSource} />
            </span>
          )}
        </div>
        <span className="numeric ml-auto shrink-0 text-soft">{formatDuration(phase.duration)}</span>
      </div>
      {isOpen && (
        <div className="flex flex-col gap-2 py-1 pl-5">
          {snippet !== undefined && (
            <CodeFrame
              snippet={snippet}
              location={phase.location}
              isFailing={hasFailed}
              linkSource={linkSource}
            />
          )}
          {file && <MadeAttachment {...file} />}
          {inner.length > 0 && <Steps steps={inner} />}
        </div>
      )}
    </li>
  )
}
