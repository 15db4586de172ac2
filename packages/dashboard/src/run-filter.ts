import { parseTimestampUs, RUN_OUTCOMES, type RunListPageQuery, type RunOutcome } from '@runledger/protocol'

/** What a list of runs can be narrowed to by one exact value, with the label that the page shows. */
export const RUN_FACETS = {
  group: 'Build',
  procedure: 'Procedure',
  branch: 'Branch',
  commit: 'Commit',
  unit: 'Unit',
  part: 'Part',
  batch: 'Batch',
  station: 'Station',
  operator: 'Operator',
  error: 'Error',
  after: 'Started after',
  before: 'Started before',
} as const satisfies Partial<Record<keyof RunListPageQuery, string>>
export type RunFacet = keyof typeof RUN_FACETS
export const RUN_FACET_NAMES = Object.keys(RUN_FACETS) as RunFacet[]

type Facets = { [Name in RunFacet]?: string | undefined }

/** What the list of runs shows. Empty parts restrict nothing. */
export interface RunFilter extends Facets {
  outcomes: RunOutcome[]
  /** Free words for the service's `search_query`. */
  words: string
}

/** The same in the address bar: `?group=…&outcome=FAIL&q=…`. */
export interface RunFilterSearch extends Facets {
  outcome?: RunOutcome[] | undefined
  q?: string | undefined
}

export const EMPTY_FILTER: RunFilter = { outcomes: [], words: '' }

const TOKEN = new RegExp(
  String.raw`(?:^|\s)(?<key>outcome|${RUN_FACET_NAMES.join('|')}):(?:"(?<quoted>[^"]*)"|(?<plain>\S+))`,
  'gi',
)

/**
 * Reads a filter typed as text: `outcome:fail branch:main thermostat`. What names no known outcome stays
 * among the words.
 */
export function parseFilterText(text: string): RunFilter {
  const outcomes: RunOutcome[] = []
  const facets: Facets = {}
  let words = text
  for (const { 0: token, groups } of text.matchAll(TOKEN)) {
    const value = groups?.['quoted'] ?? groups?.['plain'] ?? ''
    const key = groups?.['key']?.toLowerCase()
    const outcome = key === 'outcome' ? parseOutcome(value) : undefined
    if (key !== 'outcome') facets[key as RunFacet] = value === '' ? undefined : value
    else if (outcome === undefined) continue
    else outcomes.push(outcome)
    words = words.replace(token, () => ' ')
  }
  return { ...facets, outcomes: inOrder(outcomes), words: tidy(words) }
}

/** Writes a filter as the text that `parseFilterText` reads. */
export function formatFilterText(filter: RunFilter): string {
  const facets = RUN_FACET_NAMES.flatMap((name) => {
    const value = filter[name]
    return value === undefined ? [] : [`${name}:${quote(value)}`]
  })
  const outcomes = filter.outcomes.map((outcome) => `outcome:${outcome.toLowerCase()}`)
  return [...facets, ...outcomes, filter.words].filter((part) => part !== '').join(' ')
}

/**
 * Reads a filter from the parts of an address. A part that makes no sense is there as undefined: the router keeps
 * what was sent for a part that is not named.
 */
export function parseFilterSearch(search: Record<string, unknown>): RunFilterSearch {
  const outcomes = inOrder(
    listOf(search['outcome'])
      .map(parseOutcome)
      .filter((outcome) => outcome !== undefined),
  )
  const facets = Object.fromEntries(RUN_FACET_NAMES.map((name) => [name, listOf(search[name])[0]])) as Facets
  if (!isTime(facets.after)) delete facets.after
  if (!isTime(facets.before)) delete facets.before
  return toFilterSearch({ ...facets, outcomes, words: listOf(search['q'])[0] ?? '' })
}

/** Writes a filter as the parts of an address; a part that restricts nothing is undefined, so that a link clears it. */
export function toFilterSearch(filter: RunFilter): RunFilterSearch {
  const words = tidy(filter.words)
  const facets = Object.fromEntries(RUN_FACET_NAMES.map((name) => [name, filter[name] || undefined]))
  return {
    ...(facets as Facets),
    outcome: filter.outcomes.length > 0 ? filter.outcomes : undefined,
    q: words === '' ? undefined : words,
  }
}

/** Reads what filters runs on the page that was their list once. */
export function parseHomeSearch(
  search: Record<string, unknown>,
): Pick<RunFilterSearch, 'group' | 'outcome' | 'q'> {
  const { group, outcome, q } = parseFilterSearch(search)
  return { group, outcome, q }
}

/** Tells whether an address asks for all runs of a group, whatever project and branch are chosen. */
export function isGroupAlone(search: RunFilterSearch): search is RunFilterSearch & { group: string } {
  const { group, procedure: _procedure, branch: _branch, ...others } = search
  return group !== undefined && Object.values(others).every((part) => part === undefined)
}

/** The filter that the parts of an address stand for. */
export function fromFilterSearch({ outcome, q, ...facets }: RunFilterSearch): RunFilter {
  return { ...facets, outcomes: outcome ?? [], words: q ?? '' }
}

/** Tells whether a time is a whole day, such as `2026-11-20`. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
}

function isTime(text: string | undefined): boolean {
  return text !== undefined && (isDate(text) || parseTimestampUs(text) !== undefined)
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
