import type { Draw } from '../draw'
import type { Days } from '../software/plan'
import { BAD_BATCH, DRIFT, ODD_STATION, type Quantity, RETESTED_UNIT, SOFT_MEASUREMENT } from './catalogue'
import { type BoardPlan, findBadBatch } from './plan-line'

export interface MeasuredValue {
  quantity: Quantity
  value: number
  isInside: boolean
}

/** The value of a quantity in a board's final test number `test`, counted from 0. */
export function measure(
  quantity: Quantity,
  { board, test, days, draw }: { board: BoardPlan; test: number; days: Days; draw: Draw },
): MeasuredValue {
  const { name, mean, deviation, digits } = quantity
  // Boards differ more than measurements of one board do.
  const own = 0.9 * draw.normal('board', board.serialNumber, name, isMended(board, test) ? test : 0)
  const noise = 0.35 * draw.normal('noise', board.serialNumber, name, board.day, board.station, test)
  const shift = findShift(quantity, board, days)
  const drawn = mean + shift + deviation * (own + noise)
  const planted = findPlantedValue(quantity, board, test)
  const value = Number((planted ?? drawn).toFixed(digits))
  return { quantity, value, isInside: isInside(value, quantity) }
}

/** Whether the board was reworked, which happens before the third test. */
function isMended({ isRetested }: BoardPlan, test: number): boolean {
  return test > 1 && !isRetested
}

function findShift({ name }: Quantity, board: BoardPlan, days: Days): number {
  if (board.isGolden)
    return name === ODD_STATION.measurement && board.station === ODD_STATION.station ? ODD_STATION.by : 0
  if (name === DRIFT.measurement) return DRIFT.by * driftedShare(board.day, days)
  if (name === BAD_BATCH.measurement && board.batch === findBadBatch(days)) return BAD_BATCH.by
  return name === ODD_STATION.measurement && board.station === ODD_STATION.station ? ODD_STATION.by : 0
}

/** Progress of the drift: 0 on its first day, 1 on the last day. */
function driftedShare(day: number, { count }: Days): number {
  const first = Math.floor(count * DRIFT.at)
  return day < first ? 0 : (day - first) / (count - 1 - first)
}

function findPlantedValue({ name, high = 0 }: Quantity, board: BoardPlan, test: number): number | undefined {
  if (board.isSoft && name === SOFT_MEASUREMENT.measurement) return SOFT_MEASUREMENT.value
  if (!board.isRetested || name !== RETESTED_UNIT.measurement) return undefined
  return test < RETESTED_UNIT.failures ? high + 2.4 - 0.5 * test : high - 4.6
}

function isInside(value: number, { low = -Infinity, high = Infinity }: Quantity): boolean {
  return value >= low && value <= high
}
