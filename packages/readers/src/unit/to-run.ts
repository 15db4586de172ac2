import { MAX_LOGS, type LogInputSchema, type MetadataValue } from '@runledger/protocol'
import type * as z from 'zod'
import type { ImportedRun } from '../imported-run'
import { Notes } from '../notes'
import { type FilePath, quote, ReadError, wholeOf } from '../read-error'
import { formatUs, type TimeReader } from '../times'
import { UniqueNames } from '../unique-names'
import { hasFailedSteps, isBad, judgeValues } from './judge-values'
import type { Measurement, Step, UnitReport } from './report'

type Phase = NonNullable<ImportedRun['run']['phases']>[number]
type Log = z.input<typeof LogInputSchema>
type Axis = NonNullable<Measurement['x_axis']>
type Validator = NonNullable<Measurement['validators']>[number]

const SEPARATOR = ' › '
const MAX_DEPTH = 100
const EXECUTION = '(execution)'
const MAX_ERRORS = 100
const MAX_METADATA = 1000
const MAX_MEASUREMENTS = 100_000
/** The limit for units and full names (with the names of outer steps) of all steps and values together. */
const MAX_NAME_CHARACTERS = 50_000_000

/** A report as a run. @throws ReadError where it has no serial number */
export function toImportedRun(report: UnitReport, times: TimeReader): ImportedRun {
  const { startedAtUs, durationUs = 0, serialNumber, operator, at } = report
  const notes = new Notes()
  if (serialNumber === undefined || serialNumber.trim() === '')
    throw new ReadError([{ path: wholeOf(at), message: 'has no serial number: every unit needs one' }])
  const phases = new PhaseWriter(notes, at)
  const lastUs = phases.writeAll(report.steps, startedAtUs)
  placeErrors(report, phases)
  for (const text of report.texts ?? []) phases.log(text, EXECUTION, startedAtUs)
  phases.noteLeftOut(EXECUTION, report.leftOut)
  if (times.hasLocal && times.timeZone === 'UTC')
    notes.add(['The file'], 'has times without a zone, which were read as UTC')
  const endedAtUs = report.durationUs === undefined ? lastUs : startedAtUs + durationUs
  const comment = report.comment?.trim()
  return {
    procedureId: undefined,
    procedureName: blankToNone(report.procedureName),
    operator: blankToNone(operator),
    run: {
      outcome: report.outcome,
      started_at: formatUs(startedAtUs, [...at, 'start']),
      ended_at: formatUs(Math.max(startedAtUs, endedAtUs), [...at, 'end']),
      serial_number: serialNumber,
      part_number: blankToNone(report.partNumber),
      revision_number: blankToNone(report.revision),
      batch_number: toBatchNumber(report, notes),
      procedure_version: blankToNone(report.procedureVersion),
      docstring: comment ? notes.text(comment, [...at, 'comment']) : undefined,
      phases: phases.phases,
      logs: phases.logs,
    },
    metadata: listMetadata(report, notes),
    attachments: report.attachments ?? [],
    declaredAttachments: [],
    warnings: [...(report.notes?.warnings ?? []), ...notes.warnings],
    moreWarnings: (report.notes?.more ?? 0) + notes.more,
  }
}

function blankToNone(text: string | undefined): string | undefined {
  return text?.trim() || undefined
}

/** Batch names have only letters, digits, `_` and `-`; the metadata keeps the original name. */
function toBatchNumber({ batch }: UnitReport, notes: Notes): string | undefined {
  const named = blankToNone(batch)
  const [number] = /[^-](?:.*[^-])?/s.exec(named?.replaceAll(/[^\w-]+/g, '-') ?? '') ?? []
  const stored = number
    ? `and was stored as ${quote(number)}`
    : 'which has no letter or digit of A to Z: none was stored'
  if (named !== number) notes.add(['batch'], `is ${quote(named ?? '')}, ${stored}`)
  return number || undefined
}

/** Why a test failed without a failed step; a log entry if a step says why, or the test passed. */
function placeErrors({ errors = [], startedAtUs, outcome, at }: UnitReport, phases: PhaseWriter): void {
  const messages = errors.filter((message) => message.trim() !== '')
  if (messages.length === 0) return
  if (outcome === 'PASS' || phases.phases.some((phase) => isBad(phase.outcome))) {
    for (const message of messages) phases.log(message, EXECUTION, startedAtUs)
    return
  }
  const time = formatUs(startedAtUs, [...at, 'start'])
  phases.phases.push({
    name: EXECUTION,
    outcome: outcome === 'FAIL' ? 'FAIL' : 'ERROR',
    started_at: time,
    ended_at: time,
    errors: messages.slice(0, MAX_ERRORS).map((message) => ({ message })),
  })
}

function listMetadata(
  { format, station, operator, batch, metadata, at }: UnitReport,
  notes: Notes,
): [string, MetadataValue][] {
  const all: UnitReport['metadata'] = [
    ['importer', format],
    ['station', station],
    ['operator', operator],
    ['batch', batch !== undefined && /[^\w-]/.test(batch.trim()) ? batch : undefined],
    ...metadata,
  ]
  const names = new UniqueNames(notes)
  const said = all.filter(([name, value]) => name.trim() !== '' && value !== undefined && isSaid(value))
  if (said.length > MAX_METADATA)
    notes.add(
      at,
      `has ${said.length} entries of metadata, sub-units among them; the first ${MAX_METADATA} were kept`,
    )
  return said.slice(0, MAX_METADATA).flatMap(([name, value]): [string, MetadataValue][] => {
    if (value === undefined) return []
    const unique = names.take(name, at)
    return [[unique, typeof value === 'string' ? notes.text(value.trim(), [...at, name]) : value]]
  })
}

function isSaid(value: MetadataValue): boolean {
  return typeof value !== 'string' || value.trim() !== ''
}

/** Writes steps as phases, each named by its path. A group is a phase only where its steps do not say all of it. */
class PhaseWriter {
  readonly phases: Phase[] = []
  readonly logs: Log[] = []
  #nameCharacters = 0
  #measurements = 0

  constructor(
    private readonly notes: Notes,
    private readonly at: FilePath,
  ) {}

  /** Returns the end of the last of them. */
  writeAll(steps: readonly Step[], startedAtUs: number, names: readonly string[] = []): number {
    if (names.length > MAX_DEPTH) throw this.#refuse(`has steps nested over ${MAX_DEPTH} deep`)
    let endUs = startedAtUs
    let nextUs = startedAtUs
    for (const step of steps) {
      nextUs = this.#write(step, nextUs, [...names, step.name])
      endUs = Math.max(endUs, nextUs)
    }
    return endUs
  }

  #write(step: Step, nextUs: number, names: readonly string[]): number {
    const startedAtUs = step.startedAtUs ?? nextUs
    const name = this.#nameStep(names)
    this.noteLeftOut(name, step.leftOut)
    const isPhase =
      step.steps.length === 0 ||
      step.values.length > 0 ||
      (isBad(step.outcome) && (step.errors.length > 0 || !hasFailedSteps(step)))
    const index = this.phases.length
    if (isPhase) this.phases.push(this.#toPhase(step, name, startedAtUs))
    const texts = isBad(step.outcome) ? step.texts : [...step.errors, ...step.texts]
    for (const text of texts) this.log(text, name, startedAtUs)
    const lastUs = this.writeAll(step.steps, startedAtUs, names)
    const endUs = step.durationUs === undefined ? lastUs : startedAtUs + step.durationUs
    const phase = isPhase ? this.phases[index] : undefined
    if (phase) phase.ended_at = formatUs(Math.max(startedAtUs, endUs), [...this.at, name, 'end'])
    return Math.max(startedAtUs, endUs)
  }

  #nameStep(names: readonly string[]): string {
    const path = names.join(SEPARATOR)
    return this.#nameText(path, [...this.at, path, 'name'])
  }

  /** Limits a text that many steps or values may repeat. */
  #nameText(text: string, at: FilePath): string {
    this.#nameCharacters += text.length
    if (this.#nameCharacters > MAX_NAME_CHARACTERS)
      throw new ReadError([
        {
          path: at,
          message: `brings the names and units of the report to more than ${MAX_NAME_CHARACTERS} characters: shorten the names of steps and values`,
        },
      ])
    return this.notes.text(text, at)
  }

  #refuse(message: string): ReadError {
    return new ReadError([{ path: wholeOf(this.at), message }])
  }

  #toPhase(step: Step, name: string, startedAtUs: number): Phase {
    this.#measurements += step.values.length
    if (this.#measurements > MAX_MEASUREMENTS)
      throw this.#refuse(
        `has more than ${MAX_MEASUREMENTS} measurements: leave out some, or test the unit in several runs`,
      )
    const time = formatUs(startedAtUs, [...this.at, name, 'start'])
    const [judge, of] = [judgeValues(step), [...this.at, name]]
    const measurements = step.values.map((value) =>
      this.#settle({ ...value, outcome: value.outcome ?? judge(value) }, of),
    )
    const errors = isBad(step.outcome) ? step.errors.slice(0, MAX_ERRORS).map((message) => ({ message })) : []
    return {
      name,
      outcome: step.outcome,
      started_at: time,
      ended_at: time,
      ...(measurements.length > 0 && { measurements }),
      ...(errors.length > 0 && { errors }),
    }
  }

  #settle(value: Measurement, of: FilePath): Measurement {
    const { name, units, validators, measured_value: sent, x_axis: x, y_axis: y } = value
    const at = [...of, name]
    const text = (one: string, field: string) => this.notes.text(one, [...at, field])
    const nameText = (one: string, field: string) => this.#nameText(one, [...at, field])
    const nameAxis = (axis: Axis, field: string): Axis => ({
      ...axis,
      ...(axis.name && { name: nameText(axis.name, field) }),
      ...(axis.units && { units: nameText(axis.units, field) }),
    })
    return {
      ...value,
      name: nameText(name, 'name'),
      ...(typeof units === 'string' && { units: nameText(units, 'units') }),
      ...(validators && { validators: validators.map((one) => storeTexts(one, text)) }),
      ...(x && { x_axis: nameAxis(x, 'x axis') }),
      ...(y && { y_axis: y.map((one) => nameAxis(one, 'y axis')) }),
      ...(typeof sent === 'string' && { measured_value: this.notes.longText(sent, [...at, 'value']) }),
      ...(typeof sent === 'number' && !Number.isFinite(sent) && { measured_value: String(sent) }),
    }
  }

  log(text: string, name: string, atUs: number): void {
    if (text.trim() === '') return
    if (this.logs.length === MAX_LOGS)
      return this.notes.add(this.at, `has more than ${MAX_LOGS} texts of steps`)
    this.logs.push({
      level: 'INFO',
      timestamp: formatUs(atUs, [...this.at, name, 'start']),
      message: this.notes.text(text.trim(), [...this.at, name, 'text']),
      source_file: this.#nameText(name, [...this.at, name, 'name']),
      line_number: 0,
    })
  }

  noteLeftOut(name: string, count = 0): void {
    if (count === 0) return
    const message = `has more further values than the log takes, and ${count} were left out`
    this.notes.add([...this.at, name], message)
  }
}

/** Cuts the texts of a limit, because the file may contain a limit of any length. */
function storeTexts(limit: Validator, text: (one: string, field: string) => string): Validator {
  const { operator, expected_value: expected, expression } = limit
  return {
    ...limit,
    ...(operator && { operator: text(operator, 'limit') }),
    ...(typeof expected === 'string' && { expected_value: text(expected, 'limit') }),
    ...(expression && { expression: text(expression, 'limit') }),
  }
}
