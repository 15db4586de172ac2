import { type MetadataValue, type Pace, RunOutcomeSchema, type TabularMapping } from '@runledger/protocol'
import type { ImportedRun } from '../imported-run'
import { Notes } from '../notes'
import { ReadError } from '../read-error'
import { addUs, TimeReader } from '../times'
import { Cells, readOutcome } from './cells'
import { splitLimitRows } from './limit-rows'
import { parseCsv, type Row } from './parse-csv'
import { PhaseList, type RowsOfRun } from './phase-list'

/** Reads a CSV file as the runs that its mapping says. @throws ReadError that says in which row and column it cannot be read */
export async function* readTabular(
  bytes: Uint8Array,
  mapping: TabularMapping,
  pace?: Pace,
): AsyncGenerator<ImportedRun> {
  const times = new TimeReader(mapping.timeZone, mapping.timeFormat)
  const table = new Cells(await parseCsv(bytes, mapping, pace), times)
  const { values, limitsOf } = splitLimitRows(table, mapping.limitRows)
  for (const rows of groupRows(values, mapping)) {
    const cells = values.pick(rows)
    yield await readRun({ cells, mapping, limitsOf, period: readPeriod(cells, mapping) }, pace)
    if (pace?.isOver) await pace.rest()
  }
}

/** The rows of each run, in the order of their first ones. */
function groupRows(cells: Cells, { runs = 'file', fields }: TabularMapping): Row[][] {
  if (runs === 'file') return [[...cells.rows]]
  if (runs === 'row') return cells.rows.map((row) => [row])
  const groups = new Map<string, Row[]>()
  for (const [index, row] of cells.rows.entries()) {
    const key = JSON.stringify([
      cells.field(index, fields.serial_number),
      cells.field(index, fields.started_at),
    ])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups.values()]
}

type Need = 'serial_number' | 'outcome' | 'started_at'

function need(cells: Cells, { fields }: TabularMapping, name: Need): string {
  const text = cells.same(fields[name])
  if (text !== undefined) return text
  const first = cells.rows[0]?.number
  throw new ReadError([
    { path: first === undefined ? [] : [`row ${first}`], message: `has no ${name.replaceAll('_', ' ')}` },
  ])
}

function readPeriod(cells: Cells, mapping: TabularMapping): RowsOfRun['period'] {
  const startedAt = cells.readTime(need(cells, mapping, 'started_at'), cells.placeOf(0, 'started_at'))
  const ended = cells.same(mapping.fields.ended_at)
  if (ended !== undefined)
    return { started_at: startedAt, ended_at: cells.readTime(ended, cells.placeOf(0, 'ended_at')) }
  const duration = cells.same(mapping.fields.duration)
  const seconds = duration === undefined ? 0 : cells.parseNumber(duration)
  if (seconds === undefined || seconds < 0)
    throw new ReadError([
      { path: cells.placeOf(0, 'duration'), message: `is "${duration}": it must be a number of seconds` },
    ])
  return { started_at: startedAt, ended_at: addUs(startedAt, seconds * 1e6, cells.placeOf(0, 'duration')) }
}

async function readRun(rows: RowsOfRun, pace: Pace | undefined): Promise<ImportedRun> {
  const { cells, mapping, period } = rows
  const { fields } = mapping
  const notes = new Notes()
  const docstring = cells.same(fields.docstring)
  const operator = cells.same(fields.operator)
  const station = cells.same(fields.station)
  const phases = await new PhaseList(rows).read(pace)
  if (cells.hasLocalTimes && mapping.timeZone === undefined)
    notes.add(['timeZone'], 'is not in the mapping: times without a zone were read as UTC')
  return {
    procedureId: undefined,
    procedureName: cells.same(fields.procedure),
    operator,
    run: {
      ...period,
      serial_number: need(cells, mapping, 'serial_number'),
      outcome: readOutcome(need(cells, mapping, 'outcome'), {
        at: cells.placeOf(0, 'outcome'),
        known: RunOutcomeSchema.options,
        valueMap: 'valueMap' in fields.outcome ? fields.outcome.valueMap : undefined,
      }),
      part_number: cells.same(fields.part_number),
      revision_number: cells.same(fields.revision_number),
      batch_number: cells.same(fields.batch_number),
      procedure_version: cells.same(fields.procedure_version),
      operated_by: cells.same(fields.operated_by),
      docstring: docstring === undefined ? undefined : notes.text(docstring, ['docstring']),
      unit_metadata: Object.fromEntries(listMetadata(cells, mapping.unitMetadata)),
      phases,
    },
    metadata: [
      ...(operator === undefined ? [] : [['operator', operator] as [string, string]]),
      ...(station === undefined ? [] : [['station', station] as [string, string]]),
      ...listMetadata(cells, mapping.metadata),
    ],
    attachments: [],
    declaredAttachments: [],
    warnings: notes.warnings,
    moreWarnings: notes.more,
  }
}

function listMetadata(cells: Cells, fields: TabularMapping['metadata'] = []): [string, MetadataValue][] {
  return fields.flatMap(({ key, column, value }): [string, MetadataValue][] => {
    const text = value ?? (column === undefined ? undefined : cells.same({ column }))
    return text === undefined ? [] : [[key, text]]
  })
}
