import type { Draw } from '../draw'
import { type Days, endOfDay, isWorkingDay } from '../software/plan'
import { BAD_BATCH, GOLDEN_UNIT, LINE, RETESTED_UNIT, SOFT_MEASUREMENT } from './catalogue'

export interface BoardPlan {
  serialNumber: string
  moduleSerialNumber: string | undefined
  batch: string | undefined
  moduleBatch: string
  revision: string
  day: number
  station: number
  operator: string
  startedAtMs: number
  isGolden: boolean
  isRetested: boolean
  isSoft: boolean
}

const WORK_MS = 9 * 3600 * 1000
const REST_MS = 50 * 60 * 1000
const DAYS_OF_A_WEEK = 7
/** The part of the year after which boards have a new revision. */
const REVISION_AT = 0.6

export function planLine(days: Days, draw: Draw): BoardPlan[] {
  const boards: BoardPlan[] = []
  for (let day = 0; day < days.count; day++)
    if (isWorkingDay(day, days)) boards.push(...planDay(day, days, { draw, boards: boards.length }))
  mark(boards, RETESTED_UNIT.at, 'isRetested')
  mark(boards, SOFT_MEASUREMENT.at, 'isSoft')
  return boards
}

function planDay(day: number, days: Days, { draw, boards }: { draw: Draw; boards: number }): BoardPlan[] {
  const drawn = Math.max(3, Math.round(LINE.unitsPerDay + 1.2 * draw.normal('line', 'units', day)))
  // At the beginning of a week, all stations measure the golden unit.
  const golden = isFirstOfWeek(day, days) ? GOLDEN_STATIONS : 0
  const count = drawn + golden
  const endMs = endOfDay(day, days)
  return Array.from({ length: count }, (_, slot): BoardPlan => {
    const isGolden = slot < golden
    const number = 10_000 + boards + slot
    const place = (slot + draw.fraction('line', 'time', day, slot)) / count
    return {
      serialNumber: isGolden ? GOLDEN_UNIT : `SB200-${number}`,
      moduleSerialNumber: isGolden ? undefined : `SM10-${number}`,
      batch: isGolden ? undefined : batchOf('SB', day, days),
      moduleBatch: batchOf('SM', Math.max(0, day - 14), days),
      revision: isGolden || day < days.count * REVISION_AT ? 'B' : 'C',
      day,
      station: isGolden ? slot : draw.index(GOLDEN_STATIONS, 'line', 'station', day, slot),
      operator: draw.pick(LINE.operators, 'line', 'operator', day, slot % 2).email,
      startedAtMs: Math.round(endMs - WORK_MS + place * (WORK_MS - REST_MS)),
      isGolden,
      isRetested: false,
      isSoft: false,
    }
  })
}

const GOLDEN_STATIONS = 3

/** Whether no earlier day of its week was worked on. */
function isFirstOfWeek(day: number, days: Days): boolean {
  const passed = day % DAYS_OF_A_WEEK
  return Array.from({ length: passed }, (_, index) => day - passed + index).every(
    (earlier) => !isWorkingDay(earlier, days),
  )
}

/** A batch is one week's production; its name contains the week's first day. */
function batchOf(prefix: string, day: number, days: Days): string {
  const first = day - (day % DAYS_OF_A_WEEK)
  const date = new Date(endOfDay(first, days)).toISOString()
  return `${prefix}-${date.slice(2, 10).replaceAll('-', '')}`
}

export function findBadBatch(days: Days): string {
  return batchOf('SB', Math.floor(days.count * BAD_BATCH.at), days)
}

function mark(boards: BoardPlan[], at: number, what: 'isRetested' | 'isSoft'): void {
  const from = Math.floor(boards.length * at)
  const board = boards.slice(from).find(({ isGolden }) => !isGolden)
  if (board) board[what] = true
}
