import * as z from 'zod'
import { failedValidation } from '../errors'
import { mapIssues, MAX_ISSUES } from './validation-issues'

/** Checks input against a schema; throws BAD_REQUEST with one issue for each thing that is wrong with it. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema | undefined,
  input: unknown,
): z.output<Schema> {
  // Without a schema its type parameter is the default, whose output is undefined.
  if (!schema) return undefined as z.output<Schema>
  // Not `safeParse`: it words every issue, of which a hostile body has millions.
  const parsed = schema._zod.run({ value: input, issues: [] }, { async: false })
  if (parsed instanceof Promise) throw new TypeError('A schema of the interface must not be asynchronous.')
  if (parsed.issues.length === 0) return parsed.value as z.output<Schema>
  throw failedValidation(mapIssues(parsed.issues.slice(0, MAX_ISSUES).map(finalizeIssue), input))
}

function finalizeIssue(issue: z.core.$ZodRawIssue): z.core.$ZodIssue {
  return z.core.util.finalizeIssue(issue, undefined, z.config())
}
