import {
  type LongMeasurements,
  type MeasurementOutcome,
  MeasurementOutcomeSchema,
  type MetadataValue,
  type Pace,
  type PhaseOutcome,
  PhaseOutcomeSchema,
  RunOutcomeSchema,
  type TabularMapping,
  type WideMeasurements,
} from '@runledger/protocol'
import type { ImportedRun } from '../imported-run'
import { Notes } from '../notes'
import { fileOf, ReadError } from '../read-error'
import { Cells, readOutcome, readTime } from './cells'
import { parseCsv } from './parse-csv'

type Phase = NonNullable<ImportedRun['run']['phases']>[number]
type Measurement = NonNullable<Phase['measurements']>[number]

/** Reads a CSV file as one run. @throws ReadError that says in which row and column it cannot be read */
export async function readTabular(
  bytes: Uint8Array,
  mapping: TabularMapping,
  pace?: Pace,
): Promise<ImportedRun> {
  const cells = new Cells(await parseCsv(bytes, pace))
  const { fields } = mapping
  const notes = new Notes()
  const need = (name: 'serial_number' | 'outcome' | 'started_at' | 'ended_at'): string => {
    const text = cells.same(fields[name])
    if (text !== undefined) return text
    throw fileOf(`The file has no ${name.replaceAll('_', ' ')}.`)
  }
  const period = {
    started_at: readTime(need('started_at'), ['started_at']),
    ended_at: readTime(need('ended_at'), ['ended_at']),
  }
  const docstring = cells.same(fields.docstring)
  return {
    procedureId: undefined,
    procedureName: undefined,
    run: {
      ...period,
      serial_number: need('serial_number'),
      outcome: readOutcome(need('outcome'), {
        at: ['outcome'],
        known: RunOutcomeSchema.options,
        valueMap: 'valueMap' in fields.outcome ? fields.outcome.valueMap : undefined,
      }),
      part_number: cells.same(fields.part_number),
      revision_number: cells.same(fields.revision_number),
      batch_number: cells.same(fields.batch_number),
      operated_by: cells.same(fields.operated_by),
      docstring: docstring === undefined ? undefined : notes.text(docstring, ['docstring']),
      unit_metadata: Object.fromEntries(listMetadata(cells, mapping.unitMetadata)),
      phases: await new PhaseList(cells, mapping, period).read(pace),
    },
    metadata: listMetadata(cells, mapping.metadata),
    attachments: [],
    declaredAttachments: [],
    warnings: notes.list(),
  }
}

function listMetadata(cells: Cells, fields: TabularMapping['metadata'] = []): [string, MetadataValue][] {
  return fields.flatMap(({ key, column, value }): [string, MetadataValue][] => {
    const text = value ?? (column === undefined ? undefined : cells.same({ column }))
    return text === undefined ? [] : [[key, text]]
  })
}

const MAX_MEASUREMENTS = 100_000

/** Phases in the order in which the rows first name them. */
class PhaseList {
  readonly #cells: Cells
  readonly #mapping: TabularMapping
  readonly #period: { started_at: string; ended_at: string }
  readonly #phases = new Map<
    string,
    {
      phase: Phase
      outcome: PhaseOutcome | undefined
      startedAt: string | undefined
      measurements: Measurement[]
    }
  >()

  #count = 0

  constructor(cells: Cells, mapping: TabularMapping, period: { started_at: string; ended_at: string }) {
    this.#cells = cells
    this.#mapping = mapping
    this.#period = period
  }

  async read(pace?: Pace): Promise<Phase[]> {
    const { measurements, phases } = this.#mapping
    if ('columns' in measurements && phases === undefined && this.#cells.rowCount > 1)
      throw new ReadError([
        {
          path: this.#cells.placeOf(1).slice(0, 1),
          message: 'is a second row, and one row of such columns is one run: split the file, or map phases',
        },
      ])
    for (let row = 0; row < this.#cells.rowCount; row += 1) {
      const name = this.#cells.at(row, phases?.nameColumn)
      if (name !== undefined) this.#readPhase(name, row)
      if ('nameColumn' in measurements) this.#readLong(measurements, row, name)
      else if ('columns' in measurements) this.#readWide(measurements, row, name)
      if (pace?.isOver) await pace.rest()
    }
    return [...this.#phases.values()].map(({ phase, outcome, startedAt, measurements: all }) => ({
      ...phase,
      ...(startedAt !== undefined && { started_at: startedAt }),
      outcome: outcome ?? (all.some((one) => one.outcome === 'FAIL') ? 'FAIL' : 'PASS'),
      ...(all.length > 0 && { measurements: all }),
    }))
  }

  #find(name: string) {
    const found = this.#phases.get(name) ?? {
      phase: { name, outcome: 'PASS' as const, ...this.#period },
      outcome: undefined,
      startedAt: undefined,
      measurements: [],
    }
    this.#phases.set(name, found)
    return found
  }

  /** A failure in one of its rows is the phase's; it begins with the first of them and ends with the last. */
  #readPhase(name: string, row: number): void {
    const { outcomeColumn, startedColumn, endedColumn, valueMap } = this.#mapping.phases ?? {}
    const found = this.#find(name)
    const text = this.#cells.at(row, outcomeColumn)
    const at = this.#cells.placeOf(row, outcomeColumn)
    const outcome =
      text === undefined ? undefined : readOutcome(text, { at, known: PhaseOutcomeSchema.options, valueMap })
    if (found.outcome === undefined || found.outcome === 'PASS') found.outcome = outcome ?? found.outcome
    const started = this.#cells.at(row, startedColumn)
    const ended = this.#cells.at(row, endedColumn)
    if (started !== undefined) {
      const startedAt = readTime(started, this.#cells.placeOf(row, startedColumn))
      found.startedAt ??= startedAt
    }
    if (ended !== undefined) found.phase.ended_at = readTime(ended, this.#cells.placeOf(row, endedColumn))
  }

  #readLong(columns: LongMeasurements, row: number, phaseName: string | undefined): void {
    const name = this.#cells.at(row, columns.nameColumn)
    if (name === undefined) return this.#refuseUnnamedValue(columns, row)
    const outcome = this.#cells.at(row, columns.outcomeColumn)
    const measurement = this.#measure(name, this.#cells.at(row, columns.valueColumn), {
      units: this.#cells.at(row, columns.unitsColumn),
      lower: this.#cells.number(row, columns.lowerColumn),
      upper: this.#cells.number(row, columns.upperColumn),
    })
    if (outcome !== undefined)
      measurement.outcome = readOutcome<MeasurementOutcome>(outcome, {
        at: this.#cells.placeOf(row, columns.outcomeColumn),
        known: MeasurementOutcomeSchema.options,
      })
    this.#add(this.#cells.at(row, columns.phaseColumn) ?? phaseName, measurement)
  }

  #refuseUnnamedValue({ nameColumn, valueColumn }: LongMeasurements, row: number): void {
    const value = this.#cells.at(row, valueColumn)
    if (value === undefined) return
    const message = `is empty beside the value "${value}": every measurement needs a name`
    throw new ReadError([{ path: this.#cells.placeOf(row, nameColumn), message }])
  }

  #readWide({ columns }: WideMeasurements, row: number, phaseName: string | undefined): void {
    for (const { column, name = column, units, lowerLimit: lower, upperLimit: upper, phase } of columns)
      this.#add(phase ?? phaseName, this.#measure(name, this.#cells.at(row, column), { units, lower, upper }))
  }

  #add(phaseName = 'measurements', measurement: Measurement): void {
    this.#count += 1
    if (this.#count > MAX_MEASUREMENTS)
      throw fileOf(`The file has more than ${MAX_MEASUREMENTS} measurements: split it.`)
    this.#find(phaseName).measurements.push(measurement)
  }

  #measure(name: string, text: string | undefined, { units, lower, upper }: Limited): Measurement {
    const value = text === undefined ? undefined : (this.#cells.parseNumber(text) ?? toBoolean(text) ?? text)
    return {
      name,
      outcome: compare(value, lower, upper),
      ...(value !== undefined && { measured_value: value }),
      ...(units !== undefined && { units }),
      ...(lower !== undefined && { lower_limit: lower }),
      ...(upper !== undefined && { upper_limit: upper }),
    }
  }
}

interface Limited {
  units: string | undefined
  lower: number | undefined
  upper: number | undefined
}

function toBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : undefined
}

function compare(value: unknown, lower: number | undefined, upper: number | undefined): MeasurementOutcome {
  if (typeof value !== 'number' || (lower === undefined && upper === undefined)) return 'UNSET'
  return value >= (lower ?? -Infinity) && value <= (upper ?? Infinity) ? 'PASS' : 'FAIL'
}
