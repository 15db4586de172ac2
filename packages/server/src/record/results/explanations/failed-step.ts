import { cutMiddle, type FailureExplanation, type Phase, type TestError } from '@runledger/protocol'
import { formatLocation, type StepNode, type StepTree } from '@runledger/presentation'
import type { Query } from '../../../storage/database/database'
import { groupBy } from '../../../storage/database/rows'
import { listMeasurements } from '../measurements/store'
import { addTestFacts } from '../phases/fact-store'
import { mapFailedOrRetriedSteps, mapFailures, mapPhase } from '../phases/map'
import { listFailedOrRetriedSteps } from '../phases/store'

const MAX_STEPS = 500
const MAX_MEASUREMENTS = 100
const MAX_TEXT_BYTES = 4_000

export interface FailedStep extends Pick<FailureExplanation, 'step' | 'failed_in' | 'declared_at' | 'error'> {
  name: string
  owner: string | null
  /** The outermost step, which verdicts are about. */
  phaseId: string
  retries: number
}

/** The step that failed, or passed on a retry; without a test the first that failed. */
export async function findFailedStep(
  query: Query,
  runId: number,
  testName: string | undefined,
): Promise<FailedStep | undefined> {
  const rows = await listFailedOrRetriedSteps(query, runId, MAX_STEPS)
  const phaseIds = rows.map(({ id }) => id)
  const measured = await listMeasurements(query, [runId], { phaseIds, limit: MAX_MEASUREMENTS })
  const steps = await mapFailedOrRetriedSteps(
    rows,
    groupBy(measured, ({ phase_id: id }) => id),
  )
  const node = findNode(steps.tree, testName)
  const row = node && rows.find(({ position }) => position === steps.positions[node.index])
  if (!node || !row) return undefined
  const [whole] = await addTestFacts(query, [row])
  const outer = findOutermost(steps.tree, node)
  const phase = whole ? mapPhase(whole, []) : node.phase
  const step = steps.positions[node.index] ?? 0
  const told = mapFailures(steps).find((failure) => failure.step === step)?.message
  return {
    name: outer.phase.name,
    step,
    failed_in: outer === node ? null : node.name,
    declared_at: outer.phase.location ? formatLocation({ ...outer.phase.location, column: undefined }) : null,
    owner: phase.owner ?? null,
    error: mapError(findError(phase)) ?? (told === undefined ? null : { fingerprint: '', message: told }),
    phaseId: outer.phase.id,
    retries: outer.phase.retry_count,
  }
}

function findNode(tree: StepTree, testName: string | undefined): StepNode | undefined {
  const failed = tree.failures.flatMap((index) => tree.nodes[index] ?? [])
  if (testName === undefined) return failed[0]
  return (
    failed.find((node) => findOutermost(tree, node).phase.name === testName) ??
    tree.nodes.find(({ className, phase }) => className === 'flaky' && phase.name === testName)
  )
}

function findOutermost({ nodes }: StepTree, node: StepNode): StepNode {
  let outer = node
  while (outer.parent !== undefined) outer = nodes[outer.parent] ?? { ...outer, parent: undefined }
  return outer
}

/** Of the last attempt; of a step that passed on a retry, an earlier one. */
function findError({ errors, error, attempts = [] }: Phase): TestError | undefined {
  return errors?.[0] ?? error ?? attempts.flatMap((attempt) => attempt.errors ?? [])[0]
}

function mapError(error: TestError | undefined): FailureExplanation['error'] | undefined {
  if (!error) return undefined
  const { location, fingerprint, ...texts } = error
  const cut = Object.entries(texts).map(([name, text]) => [
    name,
    text === undefined ? undefined : cutMiddle(text, MAX_TEXT_BYTES),
  ])
  return { fingerprint, location, ...(Object.fromEntries(cut) as typeof texts) }
}
