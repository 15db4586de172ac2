import { FilterTextSchema, MAX_PAGE_LIMIT, RUN_OUTCOMES } from '@runledger/protocol'
import * as z from 'zod'
import { parseSince, SINCE } from '../ask/filter'

export const RunSchema = z.string().min(1).max(255).describe('Id of a run, or the beginning of it')

export const SinceSchema = z.string().transform((text, context) => {
  const time = parseSince(text)
  if (time !== undefined) return time
  context.addIssue({ code: 'custom', message: `must be ${SINCE}` })
  return z.NEVER
})

export const list = <Schema extends z.ZodType>(item: Schema) => z.array(item).max(100)

export const filterFields = {
  branches: list(FilterTextSchema).optional().describe('Runs of these branches'),
  procedures: list(FilterTextSchema).optional().describe('Runs of these procedures, by identifier or id'),
  group: FilterTextSchema.optional().describe(
    'Runs of one execution or CI build: the report variable `group`',
  ),
  since: SinceSchema.optional().describe(`Runs that started after it: ${SINCE}`),
}

export const pageFields = {
  outcomes: list(z.enum(RUN_OUTCOMES)).optional().describe('Runs with these outcomes'),
  limit: limitOf(MAX_PAGE_LIMIT, 20),
  cursor: z.int().min(0).optional().describe('From the end of the page before'),
}

export function limitOf(max: number, usual: number) {
  return z.int().min(1).max(max).default(usual).describe(`How many; at most ${max}`)
}
