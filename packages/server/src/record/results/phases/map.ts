import {
  type Attempt,
  cutWell,
  formatDurationUs,
  formatTimestampUs,
  MAX_LISTED_FAILURES,
  type Phase,
  type RunDetail,
  type RunFailure,
  type SkippedTest,
  type TestError,
} from '@runledger/protocol'
import {
  buildStepTree,
  formatExpectation,
  formatMeasurement,
  listMeasured,
  type StepNode,
  type StepTree,
} from '@runledger/presentation'
import { mapInTurns } from '../../../base/clock'
import { deriveUuid } from '../../../storage/database/keys'
import { groupBy } from '../../../storage/database/rows'
import type { PhaseAttemptsTable } from '../../../storage/database/schema/runs'
import { mapMeasurement } from '../measurements/map'
import type { ErrorRow, PhaseRow, TagRow } from './fact-store'
import { MAX_LISTED_MESSAGE, type FailedOrRetriedStep } from './store'
import type { MeasurementRow } from '../measurements/store'

type PhaseHeadColumns = Pick<PhaseRow, 'run_id' | 'id' | 'name' | 'outcome' | 'started_at_us' | 'duration_us'>

export function mapPhaseHead(row: PhaseHeadColumns) {
  return {
    id: deriveUuid('phase', row),
    name: row.name,
    outcome: row.outcome,
    started_at: formatTimestampUs(row.started_at_us),
    ended_at: formatTimestampUs(row.started_at_us + row.duration_us),
  }
}

/** Tests that did not run are apart. */
export function mapPhases(
  rows: readonly PhaseRow[],
  measurements: ReadonlyMap<number, MeasurementRow[]>,
): Pick<RunDetail, 'phases' | 'skipped'> {
  const skipped = rows.filter(({ kind }) => kind === 'skipped')
  const steps = skipped.length === 0 ? rows : rows.filter(({ kind }) => kind !== 'skipped')
  return {
    phases: steps.map((row) => mapPhase(row, measurements.get(row.id) ?? [])),
    skipped: skipped.length === 0 ? undefined : skipped.map(mapSkippedTest),
  }
}

/** As `GET /v2/runs/{id}` shows it; undefined leaves out facts that were not sent. */
export function mapPhase(row: PhaseRow, measurements: readonly MeasurementRow[]): Phase {
  const errors = groupBy(row.errors, ({ attempt }) => attempt)
  const ofAttempt = (attempt: number) => errors.get(attempt)?.map(mapTestError)
  const attempts = orNone(row.attempts)?.map((one) => mapAttempt(one, ofAttempt(one.attempt)))
  const own = ofAttempt(row.retry_count)
  const { id, name, outcome, started_at, ended_at } = mapPhaseHead(row)
  return {
    // Name each member: after a spread, Node 20 takes twenty times as long for each.
    id,
    name,
    outcome,
    started_at,
    ended_at,
    duration: formatDurationUs(row.duration_us),
    retry_count: row.retry_count,
    measurements: measurements.map(mapMeasurement),
    docstring: row.docstring,
    location: row.place && mapLocation(row.place),
    error: own?.[0],
    errors: own,
    more_errors: row.place?.more_errors ?? undefined,
    attempts,
    more_attempts: attempts && (row.retry_count + 1 - attempts.length || undefined),
    worker: row.place?.worker ?? undefined,
    snippet: row.place?.snippet ?? undefined,
    kind: row.kind === 'skipped' ? undefined : (row.kind ?? undefined),
    parent: row.place?.parent_index ?? undefined,
    owner: row.place?.owner ?? undefined,
    ...mapTags(row.tags),
  }
}

function orNone<Item>(list: readonly Item[]): Item[] | undefined {
  return list.length === 0 ? undefined : [...list]
}

interface LocationColumns {
  file: string | null
  line: number | null
  column_number: number | null
}

function mapLocation({ file, line, column_number: column }: LocationColumns): Phase['location'] {
  return file === null ? undefined : { file, line: line ?? undefined, column: column ?? undefined }
}

export function mapTestError(row: Omit<ErrorRow, 'phase_id' | 'attempt'>): TestError {
  return {
    fingerprint: row.fingerprint,
    message: row.message,
    stack: row.stack ?? undefined,
    location: mapLocation(row),
    expected: row.expected ?? undefined,
    actual: row.actual ?? undefined,
    diff: row.diff ?? undefined,
    snippet: row.snippet ?? undefined,
  }
}

function mapAttempt(row: PhaseAttemptsTable, errors: TestError[] | undefined): Attempt {
  return {
    outcome: row.outcome,
    started_at: formatTimestampUs(row.started_at_us),
    duration: formatDurationUs(row.duration_us),
    worker: row.worker ?? undefined,
    errors,
    more_errors: row.more_errors ?? undefined,
  }
}

export function mapSkippedTest(row: PhaseRow): SkippedTest {
  return {
    name: row.name,
    reason: row.docstring ?? undefined,
    location: row.place && mapLocation(row.place),
    tags: mapTags(row.tags).tags,
  }
}

function mapTags(rows: readonly TagRow[]): Pick<Phase, 'tags' | 'annotations'> {
  const annotations = rows.flatMap(({ name: type, description }) =>
    description === null ? [] : [{ type, description }],
  )
  const tags = rows.filter(({ description }) => description === null).map(({ name }) => name)
  return { tags: orNone(tags), annotations: orNone(annotations) }
}

export interface FailedOrRetriedSteps {
  tree: StepTree
  /** Places among all steps of the run, by their places in the tree. */
  positions: number[]
}

/** Also steps that passed at a later attempt; each with the beginning of one error. */
export async function mapFailedOrRetriedSteps(
  rows: readonly FailedOrRetriedStep[],
  measurements: ReadonlyMap<number, MeasurementRow[]>,
): Promise<FailedOrRetriedSteps> {
  const known: FailedOrRetriedStep[] = []
  const indexes = new Map<number, number>()
  for (const row of rows) {
    // Children of an omitted step are omitted too.
    if (isForgiven(row, indexes)) continue
    indexes.set(row.position, known.length)
    known.push(row)
  }
  const phases = await mapInTurns(known, (row): Phase => {
    const error = row.message === null ? undefined : { fingerprint: '', message: row.message }
    return {
      ...mapPhase(
        { ...row, place: undefined, tags: [], attempts: [], errors: [] },
        measurements.get(row.id) ?? [],
      ),
      location: mapLocation(row),
      parent: row.parent_index === null ? undefined : indexes.get(row.parent_index),
      error,
    }
  })
  return { tree: buildStepTree(phases), positions: known.map(({ position }) => position) }
}

// In a test that passed, such as a step of an assertion that was retried.
function isForgiven(
  { kind, parent_index: parent }: FailedOrRetriedStep,
  places: ReadonlyMap<number, number>,
): boolean {
  return kind === 'step' && parent !== null && !places.has(parent)
}

/** For a step without an error: its failed measurements, else its first one, with limits. */
function describeMeasured(tree: StepTree, node: StepNode): string | undefined {
  const measured = listMeasured(tree, node)
  const failed = measured.filter(([, { outcome }]) => outcome === 'FAIL')
  const described = (failed.length > 0 ? failed : measured.slice(0, 1)).map(([owner, measurement]) => {
    const value = [formatMeasurement(measurement), formatExpectation(measurement)].filter(
      (part) => part !== '',
    )
    const isNamed = owner.measurements.length === 1 && owner.name.endsWith(measurement.name)
    return `${isNamed ? '' : `${measurement.name} `}${value.join(', ')}`
  })
  return described.length === 0 ? undefined : described.join('; ')
}

export function mapFailures({ tree, positions }: FailedOrRetriedSteps): RunFailure[] {
  return tree.failures.slice(0, MAX_LISTED_FAILURES).flatMap((index) => {
    const node = tree.nodes[index]
    if (!node) return []
    const { name, location, error } = node.phase
    const message = error?.message ?? describeMeasured(tree, node)
    return {
      step: positions[index] ?? 0,
      name,
      location,
      message: message && cutWell(message, MAX_LISTED_MESSAGE),
    }
  })
}
