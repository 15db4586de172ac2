import type * as z from 'zod'

/** A field that may be left out. `null` counts as absent (docs/interface.md#addresses-and-transport). */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** The same for fields that few clients send: an absent key stays absent, and its check costs next to nothing. */
export function seldom<Schema extends z.ZodType>(schema: Schema) {
  return schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
}
