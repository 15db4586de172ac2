import * as z from 'zod'
import { boundedRecord } from './list-schema'
import { isStorable, toStorableText, UNSTORABLE_MESSAGE } from './text'
import {
  MAX_BATCH_NUMBER_LENGTH,
  MAX_IDENTIFIER_LENGTH,
  MAX_NUMBER_LENGTH,
  MAX_TEXT_LENGTH,
} from './text-limits'

/** Any text that every supported database gives back exactly as it came. */
export const TextSchema = z.string().max(MAX_TEXT_LENGTH).refine(isStorable, UNSTORABLE_MESSAGE)

/** For texts that must not cost a run: cut at its length, and made storable. */
export const CutTextSchema = z.string().transform(toStorableText)

/** The id of a record: a UUID in either case. */
export const IdSchema = z.string().trim().pipe(z.guid('must be a UUID')).meta({ format: 'uuid' })

/** What a value is measured in, such as `V` (v1 `measurement_unit`, v2 `units`). */
export const UnitOfMeasureSchema = TextSchema

const DOTS = new Set(['.', '..'])
const DOTS_MESSAGE =
  'must not be "." or "..": in an address these are folders, so nothing could read the record; send another text'

/** The identifier of a procedure or a deployment: trimmed, never empty, "." or "..". */
export const IdentifierSchema = identifierOf(MAX_IDENTIFIER_LENGTH)

/** A serial number, part number, revision or version: trimmed, never empty, "." or "..". */
export const NumberTextSchema = identifierOf(MAX_NUMBER_LENGTH)

export const BatchNumberSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_BATCH_NUMBER_LENGTH)
  .regex(/^[\w-]*$/, 'must be made of letters from A to Z, digits, "_" and "-"')

function identifierOf(maxLength: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .refine(isStorable, UNSTORABLE_MESSAGE)
    .refine((text) => !DOTS.has(text), DOTS_MESSAGE)
}

/** Most names of one record, so that a hostile one is refused before its values are looked at. */
export const MAX_RECORD_NAMES = 10_000

/** Values by name. The key `__proto__` is refused: JavaScript readers may lose it silently. */
export function recordOf<Value extends z.ZodType>(value: Value) {
  return z.preprocess(
    (record, context) => {
      if (typeof record !== 'object' || record === null) return record
      if (Object.hasOwn(record, '__proto__'))
        context.addIssue({ code: 'custom', message: 'must not have the key "__proto__"' })
      if (Object.keys(record).length > MAX_RECORD_NAMES)
        context.addIssue({ code: 'custom', message: `must have at most ${MAX_RECORD_NAMES} names` })
      return record
    },
    boundedRecord(TextSchema, value),
  )
}

/** Null stands for no value, as in fields (docs/interface.md#addresses-and-transport). */
export function withoutNulls<Value>(record: Record<string, Value>): Record<string, NonNullable<Value>> {
  const entries = Object.entries(record).filter(([, one]) => one !== null)
  return Object.fromEntries(entries) as Record<string, NonNullable<Value>>
}
