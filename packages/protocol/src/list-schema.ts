import * as z from 'zod'
import * as core from 'zod/v4/core'

/** Most entries of a list whose entries are looked up one by one in the transaction that writes. */
export const MAX_NAMED = 1000

/** A list is checked until this many faults are found. */
export const MAX_LIST_ISSUES = 50

/** Lets others run during long work. */
export interface Pace {
  /** The work has gone on long enough: `rest` is due. */
  readonly isOver: boolean
  rest(): Promise<void>
}

/** With a pace, which needs asynchronous parsing, the outermost lists are checked some entries at a time. */
export interface PacedContext extends core.ParseContextInternal {
  readonly pace?: Pace
}

const BoundedList: core.$constructor<z.ZodArray> = core.$constructor('BoundedList', (list, definition) => {
  z.ZodArray.init(list, definition)
  const refuseOther = list._zod.parse
  const most = Math.min(...(definition.checks ?? []).map(readMaximum))
  list._zod.parse = (payload, context: PacedContext) => {
    const input = payload.value
    if (!Array.isArray(input)) return refuseOther(payload, context)
    // Its check refuses it whatever is in it.
    if (input.length > most) return payload
    const checking = checkEntries(definition.element, payload, context)
    const { pace } = context
    return pace ? restBetween(checking, pace) : finish(checking)
  }
})

/** Checks a list, with a stop after each entry, until enough is found wrong. */
function* checkEntries(
  element: core.$ZodType,
  list: core.ParsePayload,
  context: PacedContext,
): Generator<undefined, core.ParsePayload> {
  const atOnce = context.pace ? { ...context, async: false, pace: undefined } : context
  const items: unknown[] = []
  for (const [index, item] of (list.value as unknown[]).entries()) {
    const checked = element._zod.run({ value: item, issues: [] }, atOnce)
    if (checked instanceof Promise) throw new core.$ZodAsyncError()
    list.issues.push(...core.util.prefixIssues(index, checked.issues))
    if (list.issues.length >= MAX_LIST_ISSUES) break
    items.push(checked.value)
    yield
  }
  list.value = items
  return list
}

function finish<Result>(work: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

async function restBetween<Result>(work: Generator<undefined, Result>, pace: Pace): Promise<Result> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    if (pace.isOver) await pace.rest()
  }
}

function readMaximum({ _zod: { def } }: core.$ZodCheck<never>): number {
  return 'maximum' in def && typeof def.maximum === 'number' ? def.maximum : Infinity
}

/** `z.array` for lists of clients. Stops at `MAX_LIST_ISSUES`: a million wrong values would cost seconds and gigabytes. */
export function listOf<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return new BoundedList({ type: 'array', element: item }) as z.ZodArray as z.ZodArray<Item>
}

// Records are checked in pieces, because `z.record` goes on to the end of its input.
const PIECE = 50

const BoundedRecord: core.$constructor<z.ZodRecord> = core.$constructor(
  'BoundedRecord',
  (record, definition) => {
    z.ZodRecord.init(record, definition)
    const parse = record._zod.parse
    record._zod.parse = (payload, context) => {
      const entries = Object.entries(payload.value ?? {})
      if (Array.isArray(payload.value) || entries.length <= PIECE) return parse(payload, context)
      const value: Record<string, unknown> = {}
      for (let at = 0; at < entries.length && payload.issues.length < MAX_LIST_ISSUES; at += PIECE) {
        const piece = Object.fromEntries(entries.slice(at, at + PIECE))
        const checked = parse({ value: piece, issues: [] }, context)
        if (checked instanceof Promise) throw new core.$ZodAsyncError()
        payload.issues.push(...checked.issues.slice(0, MAX_LIST_ISSUES - payload.issues.length))
        Object.assign(value, checked.value)
      }
      payload.value = value
      return payload
    }
  },
)

/** `z.record` that stops at `MAX_LIST_ISSUES` too. */
export function boundedRecord<Name extends z.ZodType<string, string>, Value extends z.ZodType>(
  name: Name,
  value: Value,
): z.ZodRecord<Name, Value> {
  const record = new BoundedRecord({ type: 'record', keyType: name, valueType: value }) as z.ZodRecord
  return record as z.ZodRecord as z.ZodRecord<Name, Value>
}
