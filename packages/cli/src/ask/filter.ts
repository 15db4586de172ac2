import type { MetadataCondition, RunOutcome } from '@runledger/protocol'

export interface RecordFilter {
  /** `git_branch` of the runs. */
  branches?: string[] | undefined
  outcomes?: RunOutcome[] | undefined
  /** By identifier or id. */
  procedures?: string[] | undefined
  /** All runs of one execution or CI build. */
  group?: string | undefined
  search?: string | undefined
  /** Runs that started after this time, ISO 8601. */
  since?: string | undefined
  limit?: number | undefined
  /** `meta.next_cursor` of the page before. */
  cursor?: number | undefined
}

/** The part of the query that lists of runs and of errors have in common. */
export function toQuery({ outcomes, procedures, group, since, limit, cursor }: RecordFilter) {
  return {
    limit,
    cursor,
    outcomes,
    procedure_ids: procedures,
    started_after: since,
    metadata: group === undefined ? undefined : isOneOf('group', [group]),
  }
}

/** Runs with one of these values of a report variable. */
export function isOneOf(variable: string, values: string[]): Record<string, Partial<MetadataCondition>> {
  return { [variable]: { in: values } }
}

const MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** The time that `30m`, `12h`, `7d`, `2w`, a date or a time stands for, in ISO 8601; undefined for other text. */
export function parseSince(text: string, nowMs = Date.now()): string | undefined {
  const [, number, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const time = number === undefined ? parseDate(text) : nowMs - Number(number) * (MS[unit] ?? 0)
  return Number.isNaN(time) || Math.abs(time) > MAX_TIME ? undefined : new Date(time).toISOString()
}

// Within the years that ISO 8601 writes with four digits.
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z')

/** A date alone begins at midnight where the user is. */
function parseDate(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Date.parse(`${text}T00:00:00`)
  return /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN
}

export const SINCE = '30m, 12h, 7d, 2w, a date such as 2026-11-20, or a time such as 2026-11-20T09:30:00Z'
