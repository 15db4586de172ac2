/** Members that only say in which order WATS stores parts and how it shows them. */
const NOT_OF_TEST =
  /Format$|^(?:line|[Ii][Dd]|[Ii]dx|[Ss]tepIndex|[Mm]easIndex|[Mm]easOrderNumber|order_no|[Ss]tepType|[Cc]hartType|[Dd]ataType|[Ss]ize|origin|[Ss]tepIdCausedUUTFailure)$/
const OF_XML = /^(?:xmlns$|xmlns:|xsi:|xml:)/

/** Yields the names of members that have a value and were not read, such as `numericMeas.comment`. */
export function* listUnread(sent: unknown, read: unknown, place = ''): Generator<string> {
  // The schema does not check this part: its own reader does.
  if (sent === read) return
  if (Array.isArray(read)) {
    for (const [index, one] of [sent].flat().entries()) yield* listUnread(one, read[index], place)
  } else if (isObject(sent) && isObject(read)) {
    for (const [name, value] of Object.entries(sent)) {
      const path = place === '' ? name : `${place}.${name}`
      if (Object.hasOwn(read, name)) yield* listUnread(value, read[name], path)
      else if (isSaid(value) && isOfTest(name)) yield path
    }
  }
}

export function isOfTest(name: string): boolean {
  if (!name.startsWith('@')) return !NOT_OF_TEST.test(name)
  const attribute = name.slice(1)
  return !NOT_OF_TEST.test(attribute) && !isOfXml(attribute)
}

/** Whether an attribute belongs to XML itself, such as a namespace. */
export function isOfXml(attribute: string): boolean {
  return OF_XML.test(attribute)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isSaid(value: unknown): boolean {
  if (isObject(value)) return Object.keys(value).length > 0
  return value !== undefined && !['', 'null', 'false', '0'].includes(String(value).trim())
}
