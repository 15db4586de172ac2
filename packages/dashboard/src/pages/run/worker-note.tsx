import { describeOutcome, formatCount, formatDuration, type WorkerTest } from '@runledger/presentation'
import { useState } from 'react'
import { stepHash } from '../../links'
import { Badge } from '../../ui/badge'
import { LazyList } from '../../ui/lazy-list'
import { useRunFacts } from './run-context'
import { StepName } from './step-facts'

interface WorkerNoteProps {
  worker: number
  /** Place of the step in the run, and which of its attempts this is of. */
  index: number
  attempt: number
}

/** Which worker an attempt ran in; opened, what else of the run this worker ran, which may be why it failed. */
export function WorkerNote({ worker, index, attempt }: WorkerNoteProps) {
  const tests = useRunFacts().workers.get(worker) ?? []
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      className="text-sm open:w-full"
    >
      <summary className="w-fit text-soft">
        Worker {worker} <span className="text-accent">ran {formatCount(tests.length, 'test')}</span>
      </summary>
      {isOpen && (
        <div
          tabIndex={0}
          role="group"
          aria-label={`What worker ${worker} ran`}
          className="mt-1 max-h-72 overflow-y-auto rounded-md border border-line"
        >
          <LazyList
            items={tests}
            label={`Tests of worker ${worker}`}
            rowsAtOnce={25}
            rowPx={37}
            keyOf={(test) => `${test.index} ${test.attempt ?? 1}`}
            className="divide-y divide-line"
            renderRow={(test) => (
              <WorkerRow test={test} isThis={test.index === index && (test.attempt ?? 1) === attempt} />
            )}
          />
        </div>
      )}
    </details>
  )
}

function WorkerRow({ test, isThis }: { test: WorkerTest; isThis: boolean }) {
  const { index, name, attempt, outcome, duration } = test
  return (
    <li
      aria-current={isThis || undefined}
      className={`flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-1 ${isThis ? 'bg-sunken' : ''}`}
    >
      <Badge {...describeOutcome(outcome)} />
      <span className="min-w-0 grow basis-24 wrap-anywhere sm:basis-48">
        {isThis ? <StepName name={name} /> : <a href={`#${stepHash(index)}`}>{name}</a>}
        {attempt !== undefined && <span className="text-soft"> attempt {attempt}</span>}
        {isThis && <span className="text-soft"> (this one)</span>}
      </span>
      <span className="numeric text-soft">{formatDuration(duration)}</span>
    </li>
  )
}
