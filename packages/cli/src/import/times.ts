/** Milliseconds of a duration in seconds, as XML reports write it; undefined for what is none. */
export function parseSeconds(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined
  // `1,234.5` is Surefire's thousands; `0,123` is written where the decimal sign is a comma.
  const plain =
    /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) && !text.startsWith('0') ? text.replaceAll(',', '') : text
  return toDurationMs(Number(plain.replace(',', '.')) * 1000)
}

/** The same number, or undefined where it is no duration. */
export function toDurationMs(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?$/

/** Milliseconds since the Unix epoch; a time without a zone is UTC, as most tools write it, or this machine's. */
export function parseTimestamp(text: string | undefined, isLocalTime: boolean): number | undefined {
  const [whole, , , zone] = TIMESTAMP.exec(text?.trim() ?? '') ?? []
  if (whole === undefined) return undefined
  const iso = whole.replace(/^(.{10}) /, '$1T').replace(/ ?([+-]\d{2}):?(\d{2})$/, '$1:$2')
  const atMs = Date.parse(zone === undefined && !isLocalTime ? `${iso}Z` : iso.replace(/ Z$/, 'Z'))
  return toAtMs(atMs)
}

// A time in seconds where milliseconds are asked for would be in January 1970.
const SECONDS_BELOW = 1e10
const EARLIEST_MS = Date.UTC(1980, 0)
const LATEST_MS = Date.UTC(9999, 0)

/** Milliseconds since the Unix epoch of a number that may be in seconds; undefined for what is no time. */
export function toAtMs(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  const atMs = value < SECONDS_BELOW ? value * 1000 : value
  return atMs >= EARLIEST_MS && atMs < LATEST_MS ? atMs : undefined
}
