import type * as z from 'zod'

/**
 * A field that may be left out. The service accepts `null` for it and reads it as absent
 * (docs/interface.md#addresses-and-transport).
 */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/**
 * The same for fields that few clients send: the key may be missing in what was understood too, and the check of one that
 * is missing costs next to nothing.
 */
export function seldom<Schema extends z.ZodType>(schema: Schema) {
  return schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
}
