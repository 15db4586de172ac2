/** Shorter values are not searched for in base64 and hexadecimal: too few characters are left. */
export const SHORTEST_ENCODED = 8

/** Every form of a secret in texts. UTF-16 is decoded before the search, and zero bytes elsewhere are left out. */
export function listForms(value: string): string[] {
  const encoded =
    value.length < SHORTEST_ENCODED ? [] : [...listBase64(value), ...listHex(value), ...listSlugs(value)]
  return [...new Set([value, ...listJson(value), ...listPercent(value), ...encoded])]
}

/** Signs that some programs escape in JSON: other alphabets, `/`, and signs of HTML. */
const JSON_ESCAPED = [/[^\0-~]/g, /[<>&\u2028\u2029]/g, /[<>&'+`"]|[^\0-~]/g]

function listJson(value: string): string[] {
  const write = (text: string): string => JSON.stringify(text).slice(1, -1)
  const escaped = JSON_ESCAPED.flatMap((signs) =>
    [true, false].map((isUpper) => escapeUnits(value, { signs, isUpper, write })),
  )
  const all = [true, false].map((isUpper) => escapeUnits(value, { signs: /./gsu, isUpper, write }))
  const once = [write(value), ...escaped, ...all].flatMap((text) => [
    text,
    text.replaceAll('/', String.raw`\/`),
  ])
  // JSON is often a text in other JSON.
  return [...once, ...once.map(write)]
}

/** JSON in which these signs are `\u00XX`, and the rest as `write` has it. */
function escapeUnits(
  value: string,
  { signs, isUpper, write }: { signs: RegExp; isUpper: boolean; write: (text: string) => string },
): string {
  const units = (text: string): string =>
    Array.from({ length: text.length }, (_, index) => {
      const digits = text.charCodeAt(index).toString(16).padStart(4, '0')
      return String.raw`\u${isUpper ? digits.toUpperCase() : digits}`
    }).join('')
  const kept = value.split(signs).map(write)
  const found = value.match(signs) ?? []
  return kept.map((text, index) => text + units(found[index] ?? '')).join('')
}

function listPercent(value: string): string[] {
  const component = encodeURIComponent(value.toWellFormed())
  // `encodeURIComponent` leaves these, other programs do not; forms have `+` for a space.
  const strict = component.replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const all = Buffer.from(value).toString('hex').toUpperCase().replaceAll(/../g, '%$&')
  const form = new URLSearchParams([['', value]]).toString().slice(1)
  return [
    component,
    strict,
    strict.replaceAll('%20', '+'),
    form,
    encodeURI(value.toWellFormed()),
    all,
  ].flatMap((text) => [text, text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())])
}

/** Base64 at each of the three alignments, without the characters that also depend on neighbouring bytes. */
function listBase64(value: string): string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const start = [0, 2, 3][before]
    const isCut = (before + bytes.length) % 3 !== 0
    const base64 = text.slice(start, isCut ? -1 : undefined)
    return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function listHex(value: string): string[] {
  const hex = Buffer.from(value).toString('hex')
  return [hex, hex.toUpperCase()]
}

/** The form in names of files that frameworks write. */
function listSlugs(value: string): string[] {
  const slug = value.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')
  return slug.length < SHORTEST_ENCODED ? [] : [slug]
}
