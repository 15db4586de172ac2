import { formatTimestampMs } from '@runledger/protocol'
import type { RunRequest, V2RunRequest } from '../build'
import type { Draw } from '../draw'
import type { Days } from '../software/plan'
import { LINE, MODULE_QUANTITIES, PHASES, type Quantity, QUANTITIES, RETESTED_UNIT } from './catalogue'
import { measure, type MeasuredValue } from './measure'
import type { BoardPlan } from './plan-line'

/** The tests of a board: the module test, which must be sent first, then the final tests. */
export interface BoardTests {
  serialNumber: string
  isGolden: boolean
  /** Index of the final tests' station in `LINE.stations`. */
  station: number
  module: { idempotencyKey: string; request: RunRequest } | undefined
  finalTests: readonly { idempotencyKey: string; request: V2RunRequest }[]
}

interface LineContext {
  days: Days
  draw: Draw
}

const RETEST_AFTER_MS = 6 * 60_000
const MODULE_DAYS_BEFORE = 2
const DAY_MS = 24 * 3600 * 1000
const MOST_TESTS = 3

export function mapBoard(board: BoardPlan, known: LineContext): BoardTests {
  const { serialNumber, isGolden, station } = board
  const finalTests: { idempotencyKey: string; request: V2RunRequest }[] = []
  const most = board.isRetested ? RETESTED_UNIT.failures + 1 : board.isGolden ? 1 : MOST_TESTS
  while (finalTests.length < most && finalTests.at(-1)?.request.outcome !== 'PASS') {
    const test = finalTests.length
    const request = mapFinalTest(board, test, known)
    finalTests.push({
      idempotencyKey: known.draw.uuid('final', serialNumber, board.day, station, test),
      request,
    })
  }
  return { serialNumber, isGolden, station, module: mapModule(board, known), finalTests }
}

function mapFinalTest(board: BoardPlan, test: number, { days, draw }: LineContext): V2RunRequest {
  const startedAtMs = board.startedAtMs + test * RETEST_AFTER_MS
  const isInterrupted =
    !board.isRetested && !board.isSoft && test === 0 && draw.chance(0.008, 'error', board.serialNumber)
  const values = QUANTITIES.map((quantity) => measure(quantity, { board, test, days, draw }))
  const phases: NonNullable<V2RunRequest['phases']> = []
  let atMs = startedAtMs
  for (const [name, seconds] of isInterrupted ? PHASES.slice(0, 2) : PHASES) {
    const endMs =
      atMs + Math.round(1000 * seconds * (1 + 0.08 * draw.normal('phase', name, board.serialNumber, test)))
    const own = values.filter(({ quantity }) => quantity.phase === name)
    const isPassed = board.isSoft || own.every(({ isInside }) => isInside)
    phases.push({
      name,
      outcome: isPassed ? 'PASS' : 'FAIL',
      started_at: formatTimestampMs(atMs),
      ended_at: formatTimestampMs(endMs),
      measurements: own.map(mapMeasurement),
    })
    atMs = endMs
  }
  const isPassed = phases.every(({ outcome }) => outcome === 'PASS')
  return {
    outcome: isInterrupted ? 'ERROR' : isPassed ? 'PASS' : 'FAIL',
    procedure_id: LINE.finalTest.identifier,
    procedure_version: board.day < days.count / 2 ? '1.3' : '1.4',
    started_at: formatTimestampMs(startedAtMs),
    ended_at: formatTimestampMs(atMs),
    serial_number: board.serialNumber,
    part_number: LINE.board,
    revision_number: board.revision,
    ...(board.batch !== undefined && { batch_number: board.batch }),
    ...(board.moduleSerialNumber !== undefined && test === 0 && { sub_units: [board.moduleSerialNumber] }),
    operated_by: board.operator,
    phases,
    metadata: { fixture: `F${board.station + 1}`, firmware: board.revision === 'B' ? '2.3.0' : '2.4.1' },
    ...(isInterrupted && { logs: [describeInterruption(atMs)] }),
  }
}

function describeInterruption(atMs: number): NonNullable<V2RunRequest['logs']>[number] {
  return {
    level: 'ERROR',
    timestamp: formatTimestampMs(atMs),
    message: 'the multimeter did not answer within 5 s',
    source_file: 'final_test.py',
    line_number: 118,
  }
}

function mapMeasurement({ quantity, value, isInside }: MeasuredValue) {
  const { name, unit, low, high } = quantity
  return {
    name,
    outcome: isInside ? ('PASS' as const) : ('FAIL' as const),
    measured_value: value,
    ...(unit !== '' && { units: unit }),
    ...(low !== undefined && { lower_limit: low }),
    ...(high !== undefined && { upper_limit: high }),
  }
}

/** The module is tested two days before it is built into its board. */
function mapModule(board: BoardPlan, { draw }: LineContext): BoardTests['module'] {
  const { moduleSerialNumber: serialNumber, moduleBatch, operator } = board
  if (serialNumber === undefined) return undefined
  const startedAtMs = board.startedAtMs - MODULE_DAYS_BEFORE * DAY_MS
  const values = MODULE_QUANTITIES.map((quantity) => drawModuleValue(quantity, serialNumber, draw))
  const request: RunRequest = {
    procedure_id: LINE.moduleTest.identifier,
    unit_under_test: {
      serial_number: serialNumber,
      part_number: LINE.module,
      revision: 'A',
      batch_number: moduleBatch,
    },
    run_passed: values.every(({ isInside }) => isInside),
    started_at: formatTimestampMs(startedAtMs),
    duration: `PT${values.length * 3}S`,
    operated_by: operator,
    steps: values.map(({ quantity, value, isInside }, index) => ({
      name: quantity.name,
      step_passed: isInside,
      started_at: formatTimestampMs(startedAtMs + index * 3000),
      duration: 'PT3S',
      kind: 'measurement' as const,
      measurement_value: value,
      measurement_unit: quantity.unit,
      ...(quantity.low !== undefined && { limit_low: quantity.low }),
      ...(quantity.high !== undefined && { limit_high: quantity.high }),
    })),
  }
  return { idempotencyKey: draw.uuid('module', serialNumber), request }
}

/** A module may fail here and still be built in: after rework it passes, which is not recorded. */
function drawModuleValue(quantity: Quantity, serialNumber: string, draw: Draw): MeasuredValue {
  const { name, mean, deviation, digits } = quantity
  const value = Number((mean + deviation * draw.normal('module', serialNumber, name)).toFixed(digits))
  const { low = -Infinity, high = Infinity } = quantity
  return { quantity, value, isInside: value >= low && value <= high }
}
