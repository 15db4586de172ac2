import type { Masker, NoteFound } from './masker'

/** Fields whose texts are no words of the user's: paths that must be found, ids of units, words of the frameworks. */
const EXACT_FIELDS = new Set<string | number>([
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
  addTexts(texts, record)
  const masked = masker.maskAll(texts, note)
  if (masked !== texts) replace(record, masked.values())
}

type Holder = Record<string | number, unknown>

/**
 * Adds every text of a record that may be masked. One loop: of functions that call each other for what lies deeper, V8
 * makes machine code at length, by putting them into each other, which costs more than the walk itself.
 */
export function addTexts(texts: string[], record: object): void {
  const left = [record]
  const take = (value: unknown, key: string | number): void => {
    if (typeof value === 'string') {
      if (!EXACT_FIELDS.has(key)) texts.push(value)
    } else if (isHolder(value)) left.push(value)
  }
  for (let holder = left.pop(); holder !== undefined; holder = left.pop()) {
    if (Array.isArray(holder)) holder.forEach(take)
    else for (const key in holder) take((holder as Holder)[key], key)
  }
}

/** Puts texts where `addTexts` has found them, in the same order. */
function replace(record: object, texts: Iterator<string>): void {
  const left = [record]
  for (let holder = left.pop(); holder !== undefined; holder = left.pop()) {
    for (const key of Array.isArray(holder) ? holder.keys() : listKeys(holder)) {
      const value = (holder as Holder)[key]
      if (typeof value === 'string') {
        if (!EXACT_FIELDS.has(key)) (holder as Holder)[key] = texts.next().value
      } else if (isHolder(value)) {
        const own = copyList(value)
        if (own !== value) (holder as Holder)[key] = own
        left.push(own)
      }
    }
  }
}

function listKeys(holder: object): string[] {
  const keys: string[] = []
  for (const key in holder) keys.push(key)
  return keys
}

/** A list that others may hold too; the very same thing where nothing is put into it. */
function copyList(value: object): object {
  const isWritten = (item: unknown): boolean => typeof item === 'string' || Array.isArray(item)
  return Array.isArray(value) && value.some(isWritten) ? [...(value as unknown[])] : value
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
}
