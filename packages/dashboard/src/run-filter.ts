import { RUN_OUTCOMES, type RunOutcome } from '@runledger/protocol'

/** What the list of runs shows. Empty parts restrict nothing. */
export interface RunFilter {
  group?: string | undefined
  outcomes: RunOutcome[]
  /** Free words for the service's `search_query`. */
  words: string
}

/** The same in the address bar: `?group=…&outcome=FAIL&q=…`. */
export interface RunFilterSearch {
  group?: string | undefined
  outcome?: RunOutcome[] | undefined
  q?: string | undefined
}

export const EMPTY_FILTER: RunFilter = { outcomes: [], words: '' }

const TOKEN = /(?:^|\s)(?<key>group|outcome):(?:"(?<quoted>[^"]*)"|(?<plain>\S+))/gi

/**
 * Reads a filter typed as text: `outcome:fail group:build-7 thermostat`. What names no known outcome stays
 * among the words.
 */
export function parseFilterText(text: string): RunFilter {
  const outcomes: RunOutcome[] = []
  let group: string | undefined
  let words = text
  for (const { 0: token, groups } of text.matchAll(TOKEN)) {
    const value = groups?.['quoted'] ?? groups?.['plain'] ?? ''
    const isGroup = groups?.['key']?.toLowerCase() === 'group'
    const outcome = isGroup ? undefined : parseOutcome(value)
    if (isGroup) group = value === '' ? undefined : value
    else if (outcome === undefined) continue
    else outcomes.push(outcome)
    words = words.replace(token, () => ' ')
  }
  return { outcomes: inOrder(outcomes), words: tidy(words), ...(group === undefined ? {} : { group }) }
}

/** Writes a filter as the text that `parseFilterText` reads. */
export function formatFilterText(filter: RunFilter): string {
  const group = filter.group === undefined ? [] : [`group:${quote(filter.group)}`]
  const outcomes = filter.outcomes.map((outcome) => `outcome:${outcome.toLowerCase()}`)
  return [...group, ...outcomes, filter.words].filter((part) => part !== '').join(' ')
}

/**
 * Reads a filter from the parts of an address. A part that makes no sense is there as undefined: the router keeps
 * what was sent for a part that is not named.
 */
export function parseFilterSearch(search: Record<string, unknown>): RunFilterSearch {
  const outcomes = inOrder(
    listOf(search.outcome)
      .map(parseOutcome)
      .filter((outcome) => outcome !== undefined),
  )
  const filter = { group: listOf(search.group)[0], outcomes, words: listOf(search.q)[0] ?? '' }
  return { group: undefined, outcome: undefined, q: undefined, ...toFilterSearch(filter) }
}

/** Writes a filter as the parts of an address, nothing for what restricts nothing. */
export function toFilterSearch(filter: RunFilter): RunFilterSearch {
  const words = tidy(filter.words)
  return {
    ...(filter.group ? { group: filter.group } : {}),
    ...(filter.outcomes.length > 0 ? { outcome: filter.outcomes } : {}),
    ...(words === '' ? {} : { q: words }),
  }
}

/** The filter that the parts of an address stand for. */
export function fromFilterSearch(search: RunFilterSearch): RunFilter {
  return { group: search.group, outcomes: search.outcome ?? [], words: search.q ?? '' }
}

/** Puts an outcome into the filter, or takes it out. */
export function toggleOutcome(filter: RunFilter, outcome: RunOutcome): RunFilter {
  const has = filter.outcomes.includes(outcome)
  const outcomes = has ? filter.outcomes.filter((other) => other !== outcome) : [...filter.outcomes, outcome]
  return { ...filter, outcomes: inOrder(outcomes) }
}

function parseOutcome(text: string): RunOutcome | undefined {
  return RUN_OUTCOMES.find((outcome) => outcome === text.toUpperCase())
}

function inOrder(outcomes: RunOutcome[]): RunOutcome[] {
  return RUN_OUTCOMES.filter((outcome) => outcomes.includes(outcome))
}

function listOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function quote(text: string): string {
  return /[\s"]/.test(text) ? `"${text.replaceAll('"', '')}"` : text
}
