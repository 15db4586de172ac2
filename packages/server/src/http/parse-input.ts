import type { z } from 'zod'
import { failedValidation } from '../errors'
import { mapIssues } from './validation-issues'

/** Checks input against a schema; throws BAD_REQUEST with one issue for each thing that is wrong with it. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema | undefined,
  input: unknown,
): z.output<Schema> {
  // Without a schema its type parameter is the default, whose output is undefined.
  if (!schema) return undefined as z.output<Schema>
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw failedValidation(mapIssues(parsed.error, input))
}
