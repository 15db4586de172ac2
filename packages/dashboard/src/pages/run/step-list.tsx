import {
  findDisagreement,
  formatCount,
  formatMicroseconds,
  isMeasurement,
  type StepNode,
  type StepTree,
} from '@runledger/presentation'
import { useCallback, useMemo, useState } from 'react'
import { Badge } from '../../ui/badge'
import { Card } from '../../ui/card'
import { LazyList } from '../../ui/lazy-list'
import { listShown } from './filter-steps'
import { useRunFacts } from './run-context'
import { StepRow } from './step-row'

// As many steps are shown with all that lies within them.
const SHORT_LIST = 30
// Of as many steps those with attachments show them at once.
const SHORT_LIST_OF_FILES = 12
const ROW_PX = 44

interface StepListProps {
  /** Places of the steps that the filter lets through; undefined for all. */
  shown: Set<number> | undefined
  /** Place of the step that the address names. */
  target: number | undefined
}

/** All steps in order, those that belong to another within it. */
export function StepList({ shown, target }: StepListProps) {
  const { run, tree, bySteps } = useRunFacts()
  const [switched, setSwitched] = useState<ReadonlySet<number>>(new Set())
  const isOpen = useCallback(
    (node: StepNode) => isOpenAtFirst(tree, node, target) !== switched.has(node.index),
    [tree, switched, target],
  )
  const onSwitch = useCallback((index: number) => {
    setSwitched((before) => {
      const after = new Set(before)
      if (!after.delete(index)) after.add(index)
      return after
    })
  }, [])
  const [details, setDetails] = useState<ReadonlyMap<number, boolean>>(new Map())
  const onDetails = useCallback((index: number, areShown: boolean) => {
    setDetails((before) => new Map(before).set(index, areShown))
  }, [])
  const rows = useMemo(() => listShown(tree, shown, isOpen), [tree, shown, isOpen])
  const hasMeasurements = run.phases.some(({ measurements }) => measurements.length > 0)
  const isShort = run.phases.length <= SHORT_LIST_OF_FILES
  const at = rows.findIndex(({ index }) => index === target)
  return (
    <Card title="Steps" aside={<Aside />}>
      {run.phases.length === 0 && <p className="p-4 text-soft">This run has no steps.</p>}
      <Contradiction />
      {run.phases.length > 0 && rows.length === 0 && <p className="p-4 text-soft">No step is like that.</p>}
      <LazyList
        items={rows}
        label="Steps"
        rowsAtOnce={25}
        rowPx={ROW_PX}
        keyOf={({ index }) => index}
        needed={at < 0 ? undefined : at}
        className="divide-y divide-line [&+&]:border-t [&+&]:border-line"
        renderRow={(node) => (
          <StepRow
            node={node}
            hasMeasurements={hasMeasurements}
            isOpen={node.children.length > 0 ? isOpen(node) : undefined}
            onSwitch={onSwitch}
            hasDetails={
              details.get(node.index) ??
              (node.index === target || (isShort && node.className !== 'failed' && bySteps.has(node.index)))
            }
            onDetails={onDetails}
            isTarget={node.index === target}
          />
        )}
      />
    </Card>
  )
}

// What was measured in a test is shown with it; its steps only where there are few, or where it failed.
function isOpenAtFirst({ nodes }: StepTree, node: StepNode, target: number | undefined): boolean {
  for (let at = nodes[target ?? -1]?.parent; at !== undefined; at = nodes[at]?.parent)
    if (at === node.index) return true
  // What an earlier attempt did is with that attempt.
  if (node.attempt !== undefined && node.attempt !== nodes[node.parent ?? -1]?.attempt) return false
  const children = node.children.flatMap((index) => nodes[index] ?? [])
  if (nodes.length <= SHORT_LIST || children.some(({ phase }) => isMeasurement(phase))) return true
  return node.className === 'failed'
}

/** The run's outcome is the framework's own, whatever its steps came to. */
function Contradiction() {
  const { run, tree } = useRunFacts()
  const failed = tree.failures.length
  const isUnexplained = run.outcome === 'FAIL' && failed === 0 && run.phases.length > 0
  const isForgiven = run.outcome === 'PASS' && failed > 0
  if (!isUnexplained && !isForgiven) return null
  return (
    <p className="border-b border-line px-4 py-2 text-soft">
      {isUnexplained
        ? 'The run failed although none of its steps did.'
        : `The run passed although ${formatCount(failed, 'step')} of it failed.`}
    </p>
  )
}

function Aside() {
  const { times } = useRunFacts()
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Disagreeing />
      {times && (
        <span className="numeric text-sm text-soft max-md:hidden">
          Timeline of {formatMicroseconds(times.lengthUs)}
        </span>
      )}
    </div>
  )
}

function Disagreeing() {
  const { run } = useRunFacts()
  const count = useMemo(
    () => run.phases.filter((phase) => phase.measurements.some((one) => findDisagreement(phase, one))).length,
    [run],
  )
  if (count === 0) return null
  const words = count === 1 ? 'disagrees with its' : 'disagree with their'
  return <Badge tone="warn" word={`${count.toLocaleString('en')} ${words} limits`} />
}
