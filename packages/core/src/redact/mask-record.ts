import type { Masker, NoteFound } from './masker'

/** Fields whose texts are no words of the user's: paths that must be found, ids of units, words of the frameworks. */
const EXACT_FIELDS = new Set([
  'path',
  'contentType',
  'outcome',
  'status',
  'stream',
  'serialNumber',
  'partNumber',
  'revision',
])

/** Where a text stands: in a field, or in the list that a field holds. */
interface Place {
  holder: Record<string, unknown>
  key: string
  index?: number
}

type Take = (text: string, place: Place) => void

/**
 * Masks every text in plain data, in place: what the data is known by (suites, attachments) stays the same. A list of
 * texts is replaced, as its holder may share it with others; bytes are left alone.
 */
export function maskRecord(record: object, masker: Masker, note: NoteFound): void {
  const places: Place[] = []
  const texts: string[] = []
  collect(record as Record<string, unknown>, (text, place) => {
    texts.push(text)
    places.push(place)
  })
  const masked = masker.maskAll(texts, note)
  if (masked === texts) return
  places.forEach((place, index) => {
    if (masked[index] !== texts[index]) put(place, masked[index] as string)
  })
}

function collect(holder: Record<string, unknown>, take: Take): void {
  for (const key of Object.keys(holder)) {
    const value = holder[key]
    if (typeof value === 'string') {
      if (!EXACT_FIELDS.has(key)) take(value, { holder, key })
    } else if (Array.isArray(value)) collectList(value, { holder, key }, take)
    else if (isPlain(value)) collect(value, take)
  }
}

function collectList(list: unknown[], place: Place, take: Take): void {
  list.forEach((item, index) => {
    if (typeof item === 'string') take(item, { ...place, index })
    else if (Array.isArray(item)) collectList(item, { holder: list as never, key: String(index) }, take)
    else if (isPlain(item)) collect(item, take)
  })
}

function put({ holder, key, index }: Place, text: string): void {
  holder[key] = index === undefined ? text : (holder[key] as unknown[]).with(index, text)
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
}
