import type * as z from 'zod'

/**
 * A field that may be left out. The service accepts `null` for it and reads it as absent
 * (contract decisions, "Addresses and transport").
 */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}
