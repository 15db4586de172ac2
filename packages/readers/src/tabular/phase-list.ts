import {
  type LongMeasurements,
  type MeasurementOutcome,
  MeasurementOutcomeSchema,
  type Pace,
  type PhaseOutcome,
  PhaseOutcomeSchema,
  type TabularMapping,
  type WideMeasurements,
} from '@runledger/protocol'
import type { ImportedRun } from '../imported-run'
import { fileOf, ReadError } from '../read-error'
import { type Cells, readOutcome } from './cells'
import type { ColumnLimits } from './limit-rows'

type Phase = NonNullable<ImportedRun['run']['phases']>[number]
type Measurement = NonNullable<Phase['measurements']>[number]

const MAX_MEASUREMENTS = 100_000
/** Of several rows of a phase, the outcome with the largest weight counts. */
const WEIGHTS: Readonly<Record<PhaseOutcome, number>> = { SKIP: 0, PASS: 1, FAIL: 2, ERROR: 2 }

export interface RowsOfRun {
  cells: Cells
  mapping: TabularMapping
  period: { started_at: string; ended_at: string }
  limitsOf: (column: string) => ColumnLimits
}

interface FoundPhase {
  phase: Phase
  outcome: PhaseOutcome | undefined
  startedAt: string | undefined
  measurements: Measurement[]
}

/** Phases in the order in which the rows of a run first name them. */
export class PhaseList {
  readonly #cells: Cells
  readonly #rows: RowsOfRun
  readonly #phases = new Map<string, FoundPhase>()
  #count = 0

  constructor(rows: RowsOfRun) {
    this.#cells = rows.cells
    this.#rows = rows
  }

  async read(pace?: Pace): Promise<Phase[]> {
    const { measurements, phases } = this.#rows.mapping
    if ('columns' in measurements && phases === undefined && this.#cells.rowCount > 1)
      throw new ReadError([
        {
          path: this.#cells.placeOf(1).slice(0, 1),
          message:
            'is a second row, and one row of such columns is one run: set runs to "row" in the mapping, or map phases',
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

  #find(name: string): FoundPhase {
    const found = this.#phases.get(name) ?? {
      phase: { name, outcome: 'PASS' as const, ...this.#rows.period },
      outcome: undefined,
      startedAt: undefined,
      measurements: [],
    }
    this.#phases.set(name, found)
    return found
  }

  /** A phase fails if one of its rows does; it lasts from the first row's start to the last row's end. */
  #readPhase(name: string, row: number): void {
    const { outcomeColumn, startedColumn, endedColumn, valueMap } = this.#rows.mapping.phases ?? {}
    const found = this.#find(name)
    const text = this.#cells.at(row, outcomeColumn)
    const at = this.#cells.placeOf(row, outcomeColumn)
    const outcome =
      text === undefined ? undefined : readOutcome(text, { at, known: PhaseOutcomeSchema.options, valueMap })
    if (outcome !== undefined && (found.outcome === undefined || WEIGHTS[outcome] > WEIGHTS[found.outcome]))
      found.outcome = outcome
    found.startedAt ??= this.#cells.time(row, startedColumn)
    const endedAt = this.#cells.time(row, endedColumn)
    if (endedAt !== undefined) found.phase.ended_at = endedAt
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
    for (const one of columns) {
      const { column, name = column, phase } = one
      const shared = this.#rows.limitsOf(column)
      const limits = {
        units: this.#cells.at(row, one.unitsColumn) ?? one.units ?? shared.units,
        lower: this.#cells.number(row, one.lowerColumn) ?? one.lowerLimit ?? shared.lower,
        upper: this.#cells.number(row, one.upperColumn) ?? one.upperLimit ?? shared.upper,
      }
      this.#add(phase ?? phaseName, this.#measure(name, this.#cells.at(row, column), limits))
    }
  }

  #add(phaseName = 'measurements', measurement: Measurement): void {
    this.#count += 1
    if (this.#count > MAX_MEASUREMENTS)
      throw fileOf(`A run of the file has more than ${MAX_MEASUREMENTS} measurements: split it.`)
    this.#find(phaseName).measurements.push(measurement)
  }

  #measure(name: string, text: string | undefined, { units, lower, upper }: ColumnLimits): Measurement {
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

function toBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : undefined
}

function compare(value: unknown, lower: number | undefined, upper: number | undefined): MeasurementOutcome {
  if (typeof value !== 'number' || (lower === undefined && upper === undefined)) return 'UNSET'
  return value >= (lower ?? -Infinity) && value <= (upper ?? Infinity) ? 'PASS' : 'FAIL'
}
