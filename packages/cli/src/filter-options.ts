import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT, RUN_OUTCOMES, type RunOutcome } from '@runledger/protocol'
import { describeOutcome } from '@runledger/presentation'
import { type Command, InvalidArgumentError } from 'commander'
import { parseSince, type RecordFilter, SINCE } from './ask/filter'

export interface FilterFlags {
  branch?: string[]
  outcome?: RunOutcome[]
  procedure?: string[]
  group?: string
  search?: string
  since?: string
  limit?: number
  cursor?: number
}

const WORDS = RUN_OUTCOMES.map((outcome) => outcome.toLowerCase()).join(', ')

/** Adds the options of a list's filters to its command; `search` says what a search looks into. */
export function addFilterOptions(
  command: Command,
  { search, limit, maxLimit = MAX_PAGE_LIMIT }: { search: string; limit: number; maxLimit?: number },
): Command {
  return command
    .option('--branch <branch>', 'runs of this branch; repeatable', collect)
    .option('--procedure <id>', 'runs of this procedure, by its identifier or id; repeatable', collect)
    .option('--group <group>', 'runs of one execution or CI build')
    .option('--search <text>', search)
    .option('--since <time>', `runs that started after it: ${SINCE}`, parseTime)
    .option('--limit <number>', `how many, at most ${maxLimit} (default: ${limit})`, parseLimit(maxLimit))
}

/** Adds the options for one page of a list to its command. */
export function addListOptions(command: Command): Command {
  return command
    .option(
      '--limit <number>',
      `how many, at most ${MAX_PAGE_LIMIT} (default: ${DEFAULT_PAGE_LIMIT})`,
      parseLimit(MAX_PAGE_LIMIT),
    )
    .option('--cursor <number>', 'continue after the previous page', parseCursor)
}

/** Of lists that can be asked for page by page. */
export function addPageOptions(command: Command): Command {
  return command
    .option('--outcome <outcome>', `runs with this outcome (${WORDS}); repeatable`, collectOutcome)
    .option('--cursor <number>', 'continue after the previous page', parseCursor)
}

export function toFilter(flags: FilterFlags): RecordFilter {
  const { branch, outcome, procedure, group, search, since, limit, cursor } = flags
  return { branches: branch, outcomes: outcome, procedures: procedure, group, search, since, limit, cursor }
}

export function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value]
}

function collectOutcome(value: string, earlier: RunOutcome[] = []): RunOutcome[] {
  const word = value.toLowerCase()
  // Also as tables show it: `failed`.
  const outcome = RUN_OUTCOMES.find(
    (each) => each.toLowerCase() === word || describeOutcome(each).word.toLowerCase() === word,
  )
  if (outcome === undefined) throw new InvalidArgumentError(`There are: ${WORDS}.`)
  return [...earlier, outcome]
}

export function parseTime(value: string): string {
  const time = parseSince(value)
  if (time === undefined) throw new InvalidArgumentError(`Give ${SINCE}.`)
  return time
}

export function parseLimit(max: number) {
  return (value: string): number => {
    const limit = Number(value)
    if (!/^\d+$/.test(value) || limit < 1 || limit > max)
      throw new InvalidArgumentError(`Give a whole number from 1 to ${max}.`)
    return limit
  }
}

function parseCursor(value: string): number {
  const cursor = Number(value)
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(cursor))
    throw new InvalidArgumentError('Give the number that the page before ended with.')
  return cursor
}
