import { mapInTurns } from '../../../base/clock'
import type { SqlValue, Transaction } from '../../../storage/database/database'
import { insertRows } from '../../../storage/database/rows'
import type { RunsTable } from '../../../storage/database/schema/runs'
import {
  type ErrorKeys,
  FACT_COLUMNS,
  type FactsOfPhase,
  factValues,
  insertTestFacts,
} from '../test-errors/store'
import { type ErrorRecords, findTestPlace, listFactNames } from '../test-errors/facts'
import { type Definition, formatDefinition } from './definition-store'
import type { MeasurementRecord, PhaseRecord, RunRecord } from '../run-request'

/** Inserts the row of a run, and counts it in its month of UTC. */
export async function insertRun(transaction: Transaction, run: RunsTable): Promise<void> {
  await insertRows(transaction, { table: 'runs', columns: Object.keys(run), rows: [Object.values(run)] })
  const sql = `INSERT INTO run_months (month, created_runs) VALUES (?, 1)
    ON CONFLICT (month, organisation_id) DO UPDATE SET created_runs = run_months.created_runs + 1`
  const counter = Math.floor(Math.random() * COUNTERS)
  await transaction.run(sql, [`${formatMonth(run.created_at_us)}/${counter}`])
}

/** With only one counter of a month, processes that create runs at once would block each other. */
const COUNTERS = 64

/** In the UTC month of this time, deleted ones included. */
export async function countRunsOfMonth(transaction: Transaction, timeUs: number): Promise<number> {
  const sql = 'SELECT sum(created_runs) AS created_runs FROM run_months WHERE month >= ? AND month < ?'
  const month = formatMonth(timeUs)
  // The character after "/", to select all counters of a month.
  const [row] = await transaction.all<{ created_runs: number | null }>(sql, [month, `${month}0`])
  return row?.created_runs ?? 0
}

function formatMonth(timeUs: number): string {
  return new Date(timeUs / 1000).toISOString().slice(0, 7)
}

/** Every text of phases and measurements that is a definition, by its text. */
export async function collectDefinitions(record: RunRecord): Promise<Map<string, Definition>> {
  const definitions = new Map<string, Definition>()
  const add = (definition: Definition) => definitions.set(formatDefinition(definition), definition)
  const place = findTestPlace(record)
  await mapInTurns(record.phases, (phase) => {
    add(nameDefinition(phase.name))
    if (phase.facts) for (const name of listFactNames(phase.facts, place)) add(nameDefinition(name))
    for (const measurement of phase.measurements) add(measurement)
  })
  return definitions
}

interface PhaseInsert {
  runId: number
  nextRecordKey: () => number
  definitionKeys: ReadonlyMap<string, number>
  errors: ErrorRecords
  errorKeys: ReadonlyMap<string, ErrorKeys>
}

/** Some at a time; keys rise in the order sent, which is how they are read back. */
export async function insertPhases(
  transaction: Transaction,
  { runId, nextRecordKey, definitionKeys, errors, errorKeys }: PhaseInsert,
  record: RunRecord,
): Promise<void> {
  const definitionKey = (definition: Definition) => definitionKeys.get(formatDefinition(definition)) ?? null
  const nameKey = (name?: string) => (name === undefined ? null : definitionKey(nameDefinition(name)))
  const finalCounts = await findFinalCounts(record.phases)
  const { file, project } = findTestPlace(record)
  const projectId = nameKey(project)
  const rows = new PhaseRows(transaction, (facts) =>
    insertTestFacts(transaction, { runId, tagKey: nameKey, records: errors, errorKeys }, facts),
  )
  for (const phase of record.phases) {
    const phaseId = nextRecordKey()
    const { outcome: phaseOutcome, startedAtUs, durationUs, retryCount, docstring, facts } = phase
    const name = nameKey(phase.name)
    const phaseRow = [runId, phaseId, name, phaseOutcome, startedAtUs, durationUs, retryCount, docstring]
    const isFinal = hasAllAttempts(phase) || retryCount === finalCounts.get(phase.name)
    if (facts) {
      rows.explained.push([...phaseRow, Number(isFinal), ...factValues(facts, nameKey)])
      const fileId = nameKey(facts.location?.file ?? file)
      rows.facts.push({ phaseId, retryCount, facts, nameId: name, fileId, projectId })
    } else if (isFinal) rows.phases.push(phaseRow)
    else rows.repeated.push([...phaseRow, 0])
    for (const measurement of phase.measurements) {
      const { outcome, value, limitLow, limitHigh } = measurement
      const [key, nameId] = [nextRecordKey(), definitionKey(measurement)]
      const row = [runId, key, phaseId, nameId, outcome, value, limitLow, limitHigh]
      if (isPlain(measurement)) rows.plain.push(row)
      else rows.others.push([...row, ...otherValues(measurement)])
      if (rows.areMany) await rows.insert()
    }
    if (rows.areMany) await rows.insert()
  }
  await rows.insert()
}

const MANY_ROWS = 1024

class PhaseRows {
  readonly #transaction: Transaction
  readonly #insertFacts: (facts: FactsOfPhase[]) => Promise<void>
  readonly phases: SqlValue[][] = []
  readonly repeated: SqlValue[][] = []
  /** Of phases that say something of their test. */
  readonly explained: SqlValue[][] = []
  readonly facts: FactsOfPhase[] = []
  readonly plain: SqlValue[][] = []
  readonly others: SqlValue[][] = []

  constructor(transaction: Transaction, insertFacts: (facts: FactsOfPhase[]) => Promise<void>) {
    this.#transaction = transaction
    this.#insertFacts = insertFacts
  }

  get areMany(): boolean {
    const { phases, repeated, explained, plain, others } = this
    return [phases, repeated, explained, plain, others].some(({ length }) => length >= MANY_ROWS)
  }

  /** Phases come first, because the others refer to them. */
  async insert(): Promise<void> {
    const insert = (table: string, columns: readonly string[], rows: SqlValue[][]) =>
      insertRows(this.#transaction, { table, columns, rows: rows.splice(0) })
    await insert('phases', PHASE_COLUMNS, this.phases)
    await insert('phases', [...PHASE_COLUMNS, 'is_final_attempt'], this.repeated)
    await insert('phases', [...PHASE_COLUMNS, 'is_final_attempt', ...FACT_COLUMNS], this.explained)
    await insert('measurements', MEASUREMENT_COLUMNS, this.plain)
    await insert('measurements', [...MEASUREMENT_COLUMNS, 'value_type', 'text_value', 'detail'], this.others)
    if (this.facts.length > 0) await this.#insertFacts(this.facts.splice(0))
  }
}

/** Attempts by name; another test of that name may have its attempts with it. */
async function findFinalCounts(phases: readonly PhaseRecord[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  await mapInTurns(phases, (phase) => {
    const { name, retryCount } = phase
    if (!hasAllAttempts(phase)) counts.set(name, Math.max(retryCount, counts.get(name) ?? 0))
  })
  return counts
}

/** Such a phase stands for all attempts; others are sent once for each attempt. */
function hasAllAttempts({ facts }: PhaseRecord): boolean {
  return facts !== undefined && facts.attempts.length > 0
}

const PHASE_COLUMNS = [
  'run_id',
  'id',
  'definition_id',
  'outcome',
  'started_at_us',
  'duration_us',
  'retry_count',
  'docstring',
]
const MEASUREMENT_COLUMNS = [
  'run_id',
  'id',
  'phase_id',
  'definition_id',
  'outcome',
  'number_value',
  'limit_low',
  'limit_high',
]

// Most measurements are numbers with limits: the other columns have defaults, and binding those costs time.
function isPlain({ type, text, detail }: MeasurementRecord): boolean {
  return type === 'numeric' && text === null && detail === undefined
}

function otherValues({ type, text, detail }: MeasurementRecord): SqlValue[] {
  return [type, text, detail === undefined ? null : JSON.stringify(detail)]
}

function nameDefinition(name: string): Definition {
  return { name, unitOfMeasure: null }
}

/** Each in the order sent. */
export async function insertRunDetails(
  transaction: Transaction,
  runId: number,
  { valueIds, logs, declaredAttachments, subUnitIds, nextRecordKey }: RunDetails,
): Promise<void> {
  await insertRows(transaction, {
    table: 'run_metadata',
    columns: ['run_id', 'position', 'value_id'],
    rows: valueIds.map((valueId, index) => [runId, index, valueId]),
  })
  await insertRows(transaction, {
    table: 'run_logs',
    columns: ['run_id', 'id', 'level', 'timestamp_us', 'message', 'source_file', 'line_number'],
    rows: logs.map((log) => [
      runId,
      nextRecordKey(),
      log.level,
      log.timestampUs,
      log.message,
      log.sourceFile,
      log.lineNumber,
    ]),
  })
  await insertRows(transaction, {
    table: 'declared_attachments',
    columns: ['run_id', 'position', 'name'],
    rows: declaredAttachments.map((name, index) => [runId, index, name]),
  })
  await insertRows(transaction, {
    table: 'run_sub_units',
    columns: ['run_id', 'position', 'unit_id'],
    rows: subUnitIds.map((unitId, index) => [runId, index, unitId]),
  })
}

interface RunDetails extends Pick<RunRecord, 'logs' | 'declaredAttachments'> {
  /** Its metadata, in the order sent. */
  valueIds: readonly number[]
  nextRecordKey: () => number
  subUnitIds: number[]
}

interface IdempotencyRow {
  owner: string
  key: string
  bodyDigest: string
  answer: string
  runId: number
}

interface FirstResponse {
  body_digest: string
  answer: string
  procedure_id: number
}

export async function findIdempotencyKey(
  transaction: Transaction,
  owner: string,
  key: string,
): Promise<FirstResponse | undefined> {
  const sql = `SELECT body_digest, answer, procedure_id FROM idempotency_keys
    JOIN live_runs ON live_runs.id = idempotency_keys.run_id WHERE owner = ? AND idempotency_key = ?`
  const [row] = await transaction.all<FirstResponse>(sql, [owner, key])
  return row
}

export async function insertIdempotencyKey(transaction: Transaction, row: IdempotencyRow): Promise<void> {
  // It exists while its run is being deleted.
  const sql = `INSERT INTO idempotency_keys (owner, idempotency_key, body_digest, answer, run_id) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (owner, idempotency_key, organisation_id) DO UPDATE
    SET body_digest = excluded.body_digest, answer = excluded.answer, run_id = excluded.run_id`
  await transaction.run(sql, [row.owner, row.key, row.bodyDigest, row.answer, row.runId])
}
