import { z } from 'zod'

export interface Setting<Value> {
  flag?: string
  variable: string
  /** Its issues say what the value must be. */
  schema: z.ZodType<Value>
  /** Is never printed: it may contain a password. */
  isSecret?: boolean
}

/** A whole number from 0. */
export function whole(fallback: number | (() => number), max = Number.MAX_SAFE_INTEGER): z.ZodType<number> {
  return wholeOrNone(max).default(typeof fallback === 'number' ? () => fallback : fallback)
}

export function wholeOrNone(max = Number.MAX_SAFE_INTEGER) {
  const message = `must be a whole number${max === Number.MAX_SAFE_INTEGER ? '' : ` from 0 to ${max}`}`
  return z
    .string()
    .refine((value) => /^\d+$/.test(value) && Number(value) <= max, message)
    .transform(Number)
}

/** No by default. */
export const YES_OR_NO = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((value) => value === 'true')
