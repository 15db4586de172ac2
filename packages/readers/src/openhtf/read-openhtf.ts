import { MAX_LOGS, type LogInputSchema, type MetadataValue, type Pace } from '@runledger/protocol'
import type * as z from 'zod'
import { AttachmentList } from '../attachment-list'
import { checkShape, toText } from '../check-shape'
import type { ImportedRun } from '../imported-run'
import { Notes } from '../notes'
import { type FilePath, ReadError } from '../read-error'
import { UniqueNames } from '../unique-names'
import { formatMillis, mapPhase } from './map-phase'
import { LogRecordSchema, NAMED_METADATA, type Report, ReportSchema } from './report-schema'

/** Whether parsed JSON is a test record of OpenHTF. */
export function isOpenHtf(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return false
  return ['dut_id', 'start_time_millis', 'phases'].every((name) => Object.hasOwn(json, name))
}

/** Reads a test record that OpenHTF's `OutputToJSON` wrote, parsed. @throws ReadError that says where it cannot be read */
export async function readOpenHtf(json: unknown, pace?: Pace): Promise<ImportedRun> {
  const report = checkShape(ReportSchema, json)
  const notes = new Notes()
  const files = new AttachmentList()
  const phases = await mapAll(report.phases, pace, (sent, index) => {
    const mapped = mapPhase(sent, ['phases', index], notes)
    for (const [fileName, { mimetype: contentType, data }] of Object.entries(mapped.attachments))
      files.add({ stepName: mapped.phase.name, fileName, contentType, data }, [
        'phases',
        index,
        'attachments',
      ])
    return mapped.phase
  })
  const { metadata: named } = report
  const description = named['test_description']
  const period = mapPeriod(report)
  return {
    procedureId: named.procedure_id,
    procedureName: named.procedure_name,
    run: {
      outcome: report.outcome,
      ...period,
      serial_number: report.dut_id as string,
      part_number: named.part_number,
      revision_number: named.revision,
      batch_number: named.batch_number,
      procedure_version: named.procedure_version,
      sub_units: named.sub_units?.map((unit) => (typeof unit === 'string' ? unit : unit.serial_number)),
      docstring:
        typeof description === 'string'
          ? notes.text(description, ['metadata', 'test_description'])
          : undefined,
      phases: phases.concat(listUnplacedErrors(report, phases, period)),
      logs: await mapLogs(report.log_records ?? [], { notes, pace }),
    },
    metadata: listMetadata(report, notes),
    attachments: files.attachments,
    declaredAttachments: [...new Set(files.declared)],
    warnings: notes.warnings,
    moreWarnings: notes.more,
  }
}

async function mapAll<Item, Result>(
  items: readonly Item[],
  pace: Pace | undefined,
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    results.push(map(item, index))
    if (pace?.isOver) await pace.rest()
  }
  return results
}

function mapPeriod({ start_time_millis: start, end_time_millis: end = start }: Report) {
  if (end < start)
    throw new ReadError([
      { path: ['end_time_millis'], message: `is ${end}: it must not be before start_time_millis (${start})` },
    ])
  return { started_at: formatMillis(start), ended_at: formatMillis(end) }
}

type Phases = NonNullable<ImportedRun['run']['phases']>

/** Why a run failed without a failed phase, for example a plug that did not start. */
function listUnplacedErrors(
  { outcome, outcome_details: details = [] }: Report,
  phases: Phases,
  period: ReturnType<typeof mapPeriod>,
): Phases {
  const hasFailed = phases.some((phase) => phase.outcome === 'FAIL' || phase.outcome === 'ERROR')
  if (outcome === 'PASS' || hasFailed || details.length === 0) return []
  const errors = details.map(({ code, description = '' }) => ({
    message: [code, description].filter((part) => part !== undefined && part !== '').join(': '),
  }))
  return [{ name: '(execution)', outcome: 'ERROR', ...period, errors: errors.slice(0, 100) }]
}

type LogInput = z.input<typeof LogInputSchema>

async function mapLogs(
  records: readonly unknown[],
  { notes, pace }: { notes: Notes; pace: Pace | undefined },
): Promise<LogInput[]> {
  if (records.length > MAX_LOGS)
    notes.add(['log_records'], `were ${records.length}; the first ${MAX_LOGS} of them are kept as logs`)
  return mapAll(records.slice(0, MAX_LOGS), pace, (sent, index) => {
    const at = ['log_records', index]
    const {
      level,
      message,
      source = '',
      lineno = 0,
      timestamp_millis: millis,
    } = checkShape(LogRecordSchema, sent, at)
    return {
      level: mapLevel(level),
      timestamp: formatMillis(millis),
      message: notes.text(message, [...at, 'message']),
      source_file: notes.text(source, [...at, 'source']),
      line_number: Number.isSafeInteger(lineno) ? lineno : 0,
    }
  })
}

/** Levels of Python's logging; those between them belong to the lower one. */
function mapLevel(level: number): LogInput['level'] {
  if (level >= 50) return 'CRITICAL'
  if (level >= 40) return 'ERROR'
  if (level >= 30) return 'WARNING'
  return level >= 20 ? 'INFO' : 'DEBUG'
}

const MAX_METADATA = 1000

/** Metadata of the test and the station, except for fields that runs have. */
function listMetadata(report: Report, notes: Notes): ImportedRun['metadata'] {
  const { station_id: station, code_info: code, marginal, metadata } = report
  const own: Record<string, unknown> = {
    importer: 'OPENHTF',
    station_id: station,
    code_info: code?.name,
    marginal: marginal ?? undefined,
    ...metadata,
  }
  const said = Object.entries(own).filter(
    ([name, value]) => name.trim() !== '' && !Object.hasOwn(NAMED_METADATA, name) && isSaid(value),
  )
  if (said.length > MAX_METADATA)
    notes.add(['metadata'], `has ${said.length} entries; the first ${MAX_METADATA} of them are kept`)
  const names = new UniqueNames(notes)
  return said.slice(0, MAX_METADATA).map(([name, value]) => {
    const at = ['metadata', name]
    return [names.take(name, at), toMetadataValue(value, at, notes)]
  })
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function toMetadataValue(value: unknown, at: FilePath, notes: Notes): MetadataValue {
  if (typeof value === 'boolean' || Number.isFinite(value)) return value as boolean | number
  return notes.text(typeof value === 'number' ? String(value) : toText(value, at), at)
}
