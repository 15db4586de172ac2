/** What a label says of a unit, by GS1's application identifiers: article number (01), lot (10), serial number (21). */

const SEPARATOR = '\u001D'

/** The check digit of a GTIN without it: weights 3 and 1 from the right (GS1 General Specifications, 7.9). */
export function checkDigit(digits) {
  const weights = [...digits].map((_, index) => ((digits.length - index) % 2 === 1 ? 3 : 1))
  const sum = weights.reduce((total, weight, index) => total + weight * Number(digits[index]), 0)
  return String((10 - (sum % 10)) % 10)
}

/** Writes a label's text. Throws a RangeError for an article number that its check digit does not fit. */
export function formatLabel({ gtin, lot, serial }) {
  if (!/^\d{14}$/.test(gtin)) throw new RangeError(`article number ${gtin}: 14 digits are needed`)
  const expected = checkDigit(gtin.slice(0, -1))
  if (gtin.at(-1) !== expected)
    throw new RangeError(`article number ${gtin}: its check digit should be ${expected}`)
  return `01${gtin}10${lot}${SEPARATOR}21${serial}`
}

/** Reads what a scanner sends; the fields that it finds, in any order. */
export function parseLabel(text) {
  const fields = {}
  for (let rest = text; rest !== '';) {
    if (rest.startsWith('01')) {
      fields.gtin = rest.slice(2, 16)
      rest = rest.slice(16)
      continue
    }
    const name = { 10: 'lot', 21: 'serial' }[rest.slice(0, 2)]
    if (name === undefined) throw new SyntaxError(`no field begins with ${rest.slice(0, 2)}`)
    const [value, ...others] = rest.slice(2).split(SEPARATOR)
    fields[name] = value
    rest = others.join(SEPARATOR)
  }
  return fields
}
