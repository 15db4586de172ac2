import {
  describeOutcome,
  type FailureContext,
  findFailedPath,
  formatCount,
  formatDuration,
  formatErrorText,
  formatFailure,
  formatFailures,
  listErrors,
  listMeasured,
  type StepNode,
} from '@runledger/presentation'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { memo } from 'react'
import { runVerdictsQuery } from '../../api/verdicts'
import { testFinderLink } from '../../history-links'
import { Badge } from '../../ui/badge'
import { stepHash } from '../../links'
import { CopyButton } from '../../ui/copy-button'
import { LazyList } from '../../ui/lazy-list'
import { UnknownBranch } from '../../ui/unknown-branch'
import { Place } from '../../parts/place'
import { Annotations } from './annotations'
import { FailureVerdict } from './failure-verdict'
import { MeasurementView } from './measurement-view'
import { useRunFacts, type RunFacts } from './run-context'
import { StepDetails } from './step-details'
import { StepFacts, StepName } from './step-facts'

const CARD_PX = 500

export function failureId(index: number): string {
  return `failure-${index}`
}

interface FailuresProps {
  /** Places of the failed steps to show, in their order. */
  shown: number[]
  /** The failure that must be rendered, wherever the window is. */
  needed: number | undefined
}

/** Why the run failed: every failure with all that is known of it, the first one up front. */
export function Failures({ shown, needed }: FailuresProps) {
  const facts = useRunFacts()
  const { run, tree } = facts
  const { data: verdicts } = useQuery({ ...runVerdictsQuery(run.id), enabled: run.outcome !== 'PASS' })
  return (
    <section aria-labelledby="failures" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="failures" className="text-base font-semibold">
          {shown.length === 1 ? 'Why it failed' : formatCount(shown.length, 'failure')}
        </h2>
        {shown.length > 1 && (
          <CopyButton
            text={() => formatFailures(shown, failureContext(facts))}
            label="Copy all as Markdown"
            word="Copy all as Markdown"
          />
        )}
      </div>
      <LazyList
        items={shown}
        label="Failures"
        rowsAtOnce={4}
        rowPx={CARD_PX}
        keyOf={(index) => index}
        needed={needed}
        className="flex flex-col gap-4"
        renderRow={(index) => {
          const node = tree.nodes[index]
          return node && <FailureCard node={node} isFirst={index === tree.failures[0]} />
        }}
      />
      {verdicts && <UnknownBranch verdicts={verdicts} />}
    </section>
  )
}

const FailureCard = memo(function FailureCard({ node, isFirst }: { node: StepNode; isFirst: boolean }) {
  const { tree, linkSource } = useRunFacts()
  const { phase, index } = node
  const path = findFailedPath(tree, index)
  const measured = listMeasured(tree, node)
  const place = phase.location
  const isTest = phase.kind === 'test' && path.length === 0
  return (
    <li
      id={failureId(index)}
      tabIndex={-1}
      aria-label={`Failure: ${phase.name}`}
      className="scroll-mt-16 overflow-hidden rounded-lg border border-line border-l-bad bg-surface [border-left-width:4px] focus:border-accent focus:outline-none"
    >
      <div className="flex flex-col gap-1 border-b border-line px-4 py-2.5">
        <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
          <Badge {...describeOutcome(phase.outcome)} />
          <h3 className="min-w-0 grow basis-60">
            <StepName name={phase.name} />
          </h3>
          <span className="numeric pt-0.5 text-sm text-soft">{formatDuration(phase.duration)}</span>
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {place && <Place location={place} linkSource={linkSource} />}
          <StepFacts phase={phase} hasAnnotations />
          {isTest && <TestHistory name={phase.name} />}
          <FailureActions node={node} />
        </div>
        <Annotations phase={phase} />
        <FailureVerdict node={node} />
      </div>
      <div className="p-4">
        {path.length > 0 && (
          <p className="mb-3 text-sm">
            <span className="text-soft">Failed in step </span>
            <span className="font-medium wrap-anywhere">{path.map(({ name }) => name).join(' › ')}</span>
          </p>
        )}
        {measured.length > 0 && (
          <div className="mb-3 flex flex-col gap-2">
            {measured.map(([owner, measurement]) => (
              <MeasurementView key={measurement.id} phase={owner} measurement={measurement} />
            ))}
          </div>
        )}
        <StepDetails node={node} isFirst={isFirst} />
      </div>
    </li>
  )
})

/** Leads to the test over time: when it broke, and how often it fails. */
function TestHistory({ name }: { name: string }) {
  const { run } = useRunFacts()
  const { file, project } = run.metadata
  return (
    <Link
      {...testFinderLink({
        procedure: run.procedure.id,
        file: file === undefined ? undefined : String(file),
        project: project === undefined ? undefined : String(project),
        q: name,
      })}
      className="inline-flex items-center gap-1 text-sm"
      preload={false}
    >
      <History aria-hidden className="size-3.5" />
      History of this test
    </Link>
  )
}

function FailureActions({ node }: { node: StepNode }) {
  const facts = useRunFacts()
  const { phase, index } = node
  const [error] = listErrors(phase)
  return (
    <div className="ml-auto flex flex-wrap max-sm:-ml-3">
      <CopyButton text={() => addressOfStep(index)} label={`Copy a link to ${phase.name}`} word="Link" />
      {error && (
        <CopyButton
          text={() => listErrors(phase).map(formatErrorText).join('\n\n')}
          label={`Copy the error of ${phase.name}`}
          word="Error"
        />
      )}
      <CopyButton
        text={() => formatFailure(index, failureContext(facts))}
        label={`Copy ${phase.name} as Markdown`}
        word="Markdown"
      />
    </div>
  )
}

/** The address of the page with a step of it. */
export function addressOfStep(index: number): string {
  return new URL(`#${stepHash(index)}`, window.location.href).href
}

function failureContext({ run, tree, bySteps, linkSource }: RunFacts): FailureContext {
  const address = new URL(window.location.pathname, window.location.href).href
  const linkStep = (index: number) => `${address}#${stepHash(index)}`
  return { run, tree, bySteps, linkSource, address, linkStep }
}
