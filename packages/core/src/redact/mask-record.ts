import type { Masker, NoteFound } from './masker'

/** Fields whose texts are no words of the user's: paths that must be found, ids of units, words of the frameworks. */
const EXACT_FIELDS = new Set([
  'kind',
  'path',
  'contentType',
  'outcome',
  'status',
  'stream',
  'serialNumber',
  'partNumber',
  'revision',
])

/**
 * Masks every text in plain data, in place: what the data is known by (suites, attachments) stays the same. A list of
 * texts is replaced, as its holder may share it with others; bytes are left alone.
 */
export function maskRecord(record: object, masker: Masker, note: NoteFound): void {
  const texts: string[] = []
  collect(record, texts)
  const masked = masker.maskAll(texts, note)
  if (masked !== texts) replace(record as Holder, masked.values())
}

type Holder = Record<string, unknown>

/** Most records have nothing to mask, so this is what it costs. */
function collect(holder: object, texts: string[]): void {
  for (const key in holder) {
    const value = (holder as Holder)[key]
    if (typeof value === 'string') {
      if (!EXACT_FIELDS.has(key)) texts.push(value)
    } else if (Array.isArray(value)) {
      // Most of the lists are empty.
      if (value.length > 0) collectList(value, texts)
    } else if (isHolder(value)) collect(value, texts)
  }
}

function collectList(list: readonly unknown[], texts: string[]): void {
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index]
    if (typeof item === 'string') texts.push(item)
    else if (Array.isArray(item)) collectList(item, texts)
    else if (isHolder(item)) collect(item, texts)
  }
}

/** Puts texts where `collect` has found them. */
function replace(holder: Holder, texts: Iterator<string>): void {
  for (const key in holder) {
    const value = holder[key]
    if (typeof value === 'string') {
      if (!EXACT_FIELDS.has(key)) holder[key] = texts.next().value
    } else if (Array.isArray(value)) holder[key] = replaceList(value, texts)
    else if (isHolder(value)) replace(value as Holder, texts)
  }
}

/** The list itself where it holds no texts. */
function replaceList(list: unknown[], texts: Iterator<string>): unknown[] {
  const items = list.map((item) => {
    if (typeof item === 'string') return texts.next().value as unknown
    if (Array.isArray(item)) return replaceList(item, texts)
    if (isHolder(item)) replace(item as Holder, texts)
    return item
  })
  return items.some((item, index) => item !== list[index]) ? items : list
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
}
