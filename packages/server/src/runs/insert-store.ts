import type { Transaction } from '../database/database'
import { insertRows } from '../database/insert-rows'
import type { KeyGenerator } from '../database/key-generator'
import type { RunsTable } from '../database/schema/runs'
import type { SqlValue } from '../database/sqlite-driver'
import { metadataColumns } from '../metadata/metadata-value'
import { type Definition, formatDefinition } from './definition-store'
import type { MeasurementRecord, PhaseRecord, RunRecord } from './run-request'
import { digestMetadata } from './store'

/** Inserts the row of a run. */
export async function insertRun(transaction: Transaction, run: RunsTable): Promise<void> {
  await insertRows(transaction, { table: 'runs', columns: Object.keys(run), rows: [Object.values(run)] })
}

/** Every name in the run's phases and measurements, once each, by its text. */
export function collectDefinitions({ phases }: RunRecord): Map<string, Definition> {
  const definitions = new Map<string, Definition>()
  for (const phase of phases) {
    definitions.set(formatDefinition(phaseDefinition(phase)), phaseDefinition(phase))
    for (const measurement of phase.measurements) definitions.set(formatDefinition(measurement), measurement)
  }
  return definitions
}

interface PhaseInsert {
  runId: number
  nextKey: KeyGenerator
  definitionKeys: ReadonlyMap<string, number>
}

/** Inserts phases and their measurements; keys rise in the order sent, which is how they are read back. */
export async function insertPhases(
  transaction: Transaction,
  { runId, nextKey, definitionKeys }: PhaseInsert,
  phases: readonly PhaseRecord[],
): Promise<void> {
  const definitionKey = (definition: Definition) => definitionKeys.get(formatDefinition(definition)) ?? null
  const phaseRows: SqlValue[][] = []
  const plainRows: SqlValue[][] = []
  const otherRows: SqlValue[][] = []
  for (const phase of phases) {
    const phaseId = nextKey()
    const name = definitionKey(phaseDefinition(phase))
    phaseRows.push([
      runId,
      phaseId,
      name,
      phase.outcome,
      phase.startedAtUs,
      phase.durationUs,
      phase.retryCount,
      phase.docstring,
    ])
    for (const measurement of phase.measurements) {
      const { outcome, value, limitLow, limitHigh } = measurement
      const row = [runId, nextKey(), phaseId, definitionKey(measurement), outcome, value, limitLow, limitHigh]
      if (isPlain(measurement)) plainRows.push(row)
      else otherRows.push([...row, ...otherValues(measurement)])
    }
  }
  await insertRows(transaction, { table: 'phases', columns: PHASE_COLUMNS, rows: phaseRows })
  await insertRows(transaction, { table: 'measurements', columns: MEASUREMENT_COLUMNS, rows: plainRows })
  await insertRows(transaction, {
    table: 'measurements',
    columns: [...MEASUREMENT_COLUMNS, 'value_type', 'text_value', 'detail'],
    rows: otherRows,
  })
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

// A number with limits, as most are, has the defaults of all other columns: binding their values is what costs time.
function isPlain({ type, text, detail }: MeasurementRecord): boolean {
  return type === 'numeric' && text === null && detail === undefined
}

function otherValues({ type, text, detail }: MeasurementRecord): SqlValue[] {
  return [type, text, detail === undefined ? null : JSON.stringify(detail)]
}

function phaseDefinition({ name }: PhaseRecord): Definition {
  return { name, unitOfMeasure: null }
}

/** Inserts metadata, logs, declared attachment names and sub-units, each in the order sent. */
export async function insertRunDetails(
  transaction: Transaction,
  runId: number,
  { metadata, logs, declaredAttachments, subUnitIds, nextKey }: RunDetails,
): Promise<void> {
  await insertRows(transaction, {
    table: 'run_metadata',
    columns: ['run_id', 'position', 'name', 'digest', 'text_value', 'value_type', 'number_value'],
    rows: metadata.map(([name, value], index) => {
      const { text_value, value_type, number_value } = metadataColumns(value)
      return [runId, index, name, digestMetadata(name, text_value), text_value, value_type, number_value]
    }),
  })
  await insertRows(transaction, {
    table: 'run_logs',
    columns: ['run_id', 'id', 'level', 'timestamp_us', 'message', 'source_file', 'line_number'],
    rows: logs.map((log) => [
      runId,
      nextKey(),
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

interface RunDetails extends Pick<RunRecord, 'metadata' | 'logs' | 'declaredAttachments'> {
  nextKey: KeyGenerator
  subUnitIds: number[]
}

interface IdempotencyRow {
  owner: string
  key: string
  bodyDigest: string
  answer: string
  runId: number
}

/** The body and the response that a key was first used with. */
export async function findIdempotencyKey(
  transaction: Transaction,
  owner: string,
  key: string,
): Promise<{ body_digest: string; answer: string } | undefined> {
  const sql = 'SELECT body_digest, answer FROM idempotency_keys WHERE owner = ? AND idempotency_key = ?'
  const [row] = await transaction.all<{ body_digest: string; answer: string }>(sql, [owner, key])
  return row
}

export async function insertIdempotencyKey(transaction: Transaction, row: IdempotencyRow): Promise<void> {
  const sql =
    'INSERT INTO idempotency_keys (owner, idempotency_key, body_digest, answer, run_id) VALUES (?, ?, ?, ?, ?)'
  await transaction.run(sql, [row.owner, row.key, row.bodyDigest, row.answer, row.runId])
}
