import { fileOf } from './read-error'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** What the letters of a format stand for, the longer ones first. */
const TOKENS: Record<string, string> = {
  yyyy: String.raw`(?<year>\d{4})`,
  yy: String.raw`(?<year>\d{2})`,
  MMM: '(?<monthName>[A-Za-z]{3})',
  MM: String.raw`(?<month>\d{2})`,
  M: String.raw`(?<month>\d{1,2})`,
  dd: String.raw`(?<day>\d{2})`,
  d: String.raw`(?<day>\d{1,2})`,
  HH: String.raw`(?<hour>\d{2})`,
  H: String.raw`(?<hour>\d{1,2})`,
  hh: String.raw`(?<hour>\d{2})`,
  h: String.raw`(?<hour>\d{1,2})`,
  mm: String.raw`(?<minute>\d{2})`,
  ss: String.raw`(?<second>\d{2})`,
  S: String.raw`(?<fraction>\d{1,9})`,
  a: '(?<half>[AaPp][Mm])',
  X: String.raw`(?<zone>Z|[+-]\d{2}:?\d{2})`,
}
const TOKEN = /yyyy|yy|MMM|MM|M|dd|d|HH|H|hh|h|mm|ss|S+|a|X+/g

/**
 * A function that rewrites times of a format, such as `dd.MM.yyyy HH:mm:ss`, `M/d/yyyy h:mm:ss a` or `dd-MMM-yyyy HH:mm:ss.S`, as
 * ISO 8601; it returns undefined for another text. @throws ReadError for a format without a date
 */
export function compileFormat(format: string): (text: string) => string | undefined {
  let pattern = ''
  let at = 0
  const names = new Set<string>()
  for (const { 0: token, index } of format.matchAll(TOKEN)) {
    const part = TOKENS[token.startsWith('S') || token.startsWith('X') ? token.charAt(0) : token] ?? ''
    const name = /<(\w+)>/.exec(part)?.[1] ?? ''
    if (names.has(name)) throw fileOf(`timeFormat is "${format}": it says the ${name} twice.`)
    names.add(name)
    pattern += escape(format.slice(at, index)) + part
    at = index + token.length
  }
  if (!['year', 'day'].every((name) => names.has(name)) || !(names.has('month') || names.has('monthName')))
    throw fileOf(`timeFormat is "${format}": it must say the year, month and day, such as yyyy-MM-dd.`)
  const whole = new RegExp(`^${pattern}${escape(format.slice(at))}$`)
  return (text) => {
    const groups = whole.exec(text)?.groups
    return groups && toIso(groups)
  }
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`)
}

function toIso(parts: Record<string, string | undefined>): string | undefined {
  const { year = '', month, monthName = '', day = '', hour = '0', minute = '00', second = '00' } = parts
  const { fraction, half, zone } = parts
  const monthNumber = month ?? String(MONTHS.indexOf(monthName.toLowerCase()) + 1)
  const noon = half?.toLowerCase() === 'pm' ? 12 : 0
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + noon
  const two = (text: string | number) => String(text).padStart(2, '0')
  const date = `${year.length === 2 ? `20${year}` : year}-${two(monthNumber)}-${two(day)}`
  const time = `${two(hours)}:${minute}:${second}${fraction === undefined ? '' : `.${fraction}`}`
  return `${date}T${time}${zone ?? ''}`
}
