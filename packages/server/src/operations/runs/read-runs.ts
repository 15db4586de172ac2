import type { Measurement, RunDetail } from '@runledger/protocol'
import { mapRunAttachment } from '../../record/files/attachments/addresses'
import { listLinkedAttachments } from '../../record/files/attachments/store'
import { mapInTurns } from '../../base/clock'
import type { Context } from '../call/context'
import type { Database, Query } from '../../storage/database/database'
import { groupBy } from '../../storage/database/rows'
import { writeList, writeObject } from '../call/handler'
import { mapMeasurement } from '../../record/results/measurements/map'
import {
  countOutsideLimits,
  listMeasurements,
  type MeasurementRow,
} from '../../record/results/measurements/store'
import { mapMetadata } from '../../record/catalogue/metadata/store'
import {
  countTestFacts,
  findRunsWithSkipped,
  listFirstErrors,
  listPhases,
  type PhaseRow,
} from '../../record/results/phases/fact-store'
import { mapPhase, mapPhases, mapSkippedTest } from '../../record/results/phases/map'
import { mapRunHead, mapRunLog, runNotFound } from '../../record/results/runs/map'
import { countRows, type RowPage } from '../../record/results/record-store'
import {
  findRun,
  listDeclaredAttachments,
  listMetadata,
  listRunLogs,
  listSubUnits,
  type RunHeadRow,
} from '../../record/results/runs/store'

/** A long run has no phases and logs yet: they are read while it is written. */
export interface ReadRun {
  id: number
  isLong: boolean
  detail: RunDetail
}

/** A run with more entries, or longer texts, counts as long: mapping this many takes about ten milliseconds. */
const MANY_ENTRIES = 2_000

/** By run key; long texts and errors count as several. */
export async function countEntries(query: Query, heads: readonly RunHeadRow[]): Promise<Map<number, number>> {
  const ids = heads.map(({ id }) => id)
  const tables = ['phases', 'measurements', 'run_logs'] as const
  const counts = await Promise.all([
    ...tables.map((table) => countRows(query, table, ids)),
    countTestFacts(query, ids),
  ])
  return new Map(ids.map((id) => [id, counts.reduce((sum, count) => sum + (count.get(id) ?? 0), 0)]))
}

interface CountedRuns {
  heads: readonly RunHeadRow[]
  counts: ReadonlyMap<number, number>
}

export async function readRuns(context: Context, { heads, counts }: CountedRuns): Promise<ReadRun[]> {
  if (heads.length === 0) return []
  const { query } = context.database
  const ids = heads.map(({ id }) => id)
  const isLong = (id: number) => (counts.get(id) ?? 0) > MANY_ENTRIES
  const shortIds = ids.filter((id) => !isLong(id))
  // In parallel, so that the database gets them together.
  const [
    firstErrors,
    outside,
    phases,
    skipping,
    measurements,
    attachments,
    declared,
    logs,
    subUnits,
    metadata,
  ] = await Promise.all([
    listFirstErrors(query, ids),
    countOutsideLimits(query, ids),
    listPhases(query, shortIds).then(groupByRun),
    findRunsWithSkipped(query, ids.filter(isLong)),
    listMeasurements(query, shortIds).then((rows) => groupBy(rows, ({ phase_id: id }) => id)),
    listLinkedAttachments(query, 'run', ids).then(groupByRun),
    listDeclaredAttachments(query, ids).then(groupByRun),
    listRunLogs(query, shortIds).then(groupByRun),
    listSubUnits(query, ids).then(groupByRun),
    listMetadata(query, ids).then(groupByRun),
  ])
  return mapInTurns(heads, (head) => ({
    id: head.id,
    isLong: isLong(head.id),
    detail: {
      ...mapRunHead(head),
      measurements_outside_limits: outside.get(head.id) ?? 0,
      first_error: firstErrors.get(head.id),
      ...mapPhases(phases.get(head.id) ?? [], measurements),
      ...(skipping.has(head.id) ? { skipped: [] } : {}),
      attachments: (attachments.get(head.id) ?? []).map((row) => mapRunAttachment(context, row)),
      declared_attachments: (declared.get(head.id) ?? []).map(({ name }) => name),
      logs: (logs.get(head.id) ?? []).map(mapRunLog),
      sub_units: (subUnits.get(head.id) ?? []).map(
        ({ public_id, serial_number, part_number, part_name }) => ({
          id: public_id,
          serial_number,
          part_number,
          part_name,
        }),
      ),
      metadata: mapMetadata(metadata.get(head.id) ?? []),
    },
  }))
}

export function groupByRun<Row extends { run_id: number | null }>(
  rows: readonly Row[],
): Map<number | null, Row[]> {
  return groupBy(rows, ({ run_id: id }) => id)
}

export async function* writeRuns(database: Database, runs: readonly ReadRun[]): AsyncGenerator<string> {
  let before = '['
  for (const run of runs) {
    yield before
    yield* writeRun(database, run)
    before = ','
  }
  yield runs.length === 0 ? '[]' : ']'
}

/** Reads a long run's phases some hundred at a time, as fast as the client reads. */
export function writeRun(database: Database, { id, isLong, detail }: ReadRun): AsyncIterable<string> {
  if (!isLong) return writeObject({ ...detail })
  const rows = <Row extends { id: number }>(list: ListRows<Row>) =>
    readPages(database, detail.id, (query, page) => list(query, [id], page))
  return writeObject({
    ...detail,
    phases: writePhases(rows(listSteps), new Measurements(rows(listMeasurements))),
    skipped: detail.skipped && writeList(mapEach(rows(listSkipped), mapSkippedTest)),
    logs: writeList(mapEach(rows(listRunLogs), mapRunLog)),
  })
}

const listSteps: ListRows<PhaseRow> = (query, ids, page) => listPhases(query, ids, { ...page, only: 'steps' })
const listSkipped: ListRows<PhaseRow> = (query, ids, page) =>
  listPhases(query, ids, { ...page, only: 'skipped' })

type ListRows<Row> = (query: Query, runIds: readonly number[], page: RowPage) => Promise<Row[]>

const PAGE_ROWS = 200
const PAGE_CHARACTERS = 128 * 1024
/** The first page shows how long rows are. */
const FIRST_ROWS = 10

/** Rows never change, so pages need no common snapshot. @throws HttpError NOT_FOUND when the run is deleted meanwhile */
async function* readPages<Row extends { id: number }>(
  database: Database,
  publicId: string,
  list: (query: Query, page: RowPage) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let rows: Row[]
  let after = 0
  let limit = FIRST_ROWS
  do {
    const page = { after, limit }
    const [run, found] = await database.read((query) =>
      Promise.all([findRun(query, publicId), list(query, page)]),
    )
    if (!run) throw runNotFound(publicId)
    rows = found
    yield rows
    after = rows.at(-1)?.id ?? after
    const length = countCharacters(rows) / rows.length
    limit = Math.max(1, Math.min(PAGE_ROWS, Math.floor(PAGE_CHARACTERS / length)))
  } while (rows.length > 0)
}

function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, part) => sum + countCharacters(part), 0)
}

/** Reads a run's measurements in step with its phases: keys of both rise in the order sent. */
class Measurements {
  readonly #pages: AsyncIterator<MeasurementRow[]>
  #rows: MeasurementRow[] = []
  #isOver = false

  constructor(pages: AsyncIterator<MeasurementRow[]>) {
    this.#pages = pages
  }

  get count(): number {
    return this.#rows.length
  }

  /** All measurements of the phase have been read. */
  hasAllOf(phaseId: number): boolean {
    return this.#isOver || (this.#rows.at(-1)?.phase_id ?? 0) > phaseId
  }

  async readOn(): Promise<void> {
    const { value, done = false } = await this.#pages.next()
    this.#isOver = done
    if (!done) this.#rows = [...this.#rows, ...(value as MeasurementRow[])]
  }

  /** Also takes those of earlier phases. */
  takeUpTo(phaseId: number): MeasurementRow[] {
    const taken = this.#rows.filter(({ phase_id: id }) => id <= phaseId)
    this.#rows = this.#rows.slice(taken.length)
    return taken
  }

  async *takeAllOf(phaseId: number): AsyncGenerator<Measurement[]> {
    for (;;) {
      yield this.takeUpTo(phaseId).map(mapMeasurement)
      if (this.hasAllOf(phaseId)) return
      await this.readOn()
    }
  }
}

/** Writes each phase when its measurements are read; one with very many is written in pieces. */
async function* writePhases(
  pages: AsyncIterable<PhaseRow[]>,
  measurements: Measurements,
): AsyncGenerator<string> {
  let before = '['
  for await (let phases of pages) {
    while (phases[0]) {
      const [first] = phases
      const whole = phases.filter(({ id }) => measurements.hasAllOf(id))
      if (whole.length === 0 && measurements.count < PAGE_ROWS) {
        await measurements.readOn()
        continue
      }
      yield before
      before = ','
      if (whole.length > 0) yield stringifyPhases(whole, measurements)
      else
        yield* writeObject({
          ...mapPhase(first, []),
          measurements: writeList(measurements.takeAllOf(first.id)),
        })
      phases = phases.slice(Math.max(whole.length, 1))
    }
  }
  yield before === '[' ? '[]' : ']'
}

function stringifyPhases(phases: readonly PhaseRow[], measurements: Measurements): string {
  const ofPhase = groupBy(measurements.takeUpTo(phases.at(-1)?.id ?? 0), ({ phase_id: id }) => id)
  return JSON.stringify(phases.map((phase) => mapPhase(phase, ofPhase.get(phase.id) ?? []))).slice(1, -1)
}

async function* mapEach<Row, Mapped>(pages: AsyncIterable<Row[]>, map: (row: Row) => Mapped) {
  for await (const rows of pages) yield rows.map(map)
}
