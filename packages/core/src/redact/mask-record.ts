import type { Masker, NoteSecret } from '@runledger/redact'

/** Texts that must stay exact: paths, ids of units, words of the frameworks. */
const EXACT_FIELDS = new Set(
  'kind path contentType outcome status stream serialNumber partNumber revision batchNumber submissionId'.split(
    ' ',
  ),
)

type Holder = Record<string, unknown>

interface Place {
  text: string
  replace: (masked: string) => void
}

/** Masks every text in place, so that object identities stay. Bytes are untouched. */
export function maskRecord(record: object, masker: Masker, note: NoteSecret): void {
  const places: Place[] = []
  addPlaces(places, record as Holder, () => record as Holder)
  const texts = places.map(({ text }) => text)
  const masked = masker.maskAll(texts, note)
  if (masked !== texts) places.forEach(({ replace }, index) => replace(masked[index] as string))
}

/** `own` returns the object that a replaced text is written into. */
function addPlaces(places: Place[], holder: Holder, own: () => Holder): void {
  for (const [key, value] of Object.entries(holder)) {
    if (typeof value === 'string') {
      const replace = (masked: string): void => void (own()[key] = masked)
      if (!EXACT_FIELDS.has(key)) places.push({ text: value, replace })
    } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
      addPlaces(places, value as Holder, isList(value) ? copyOnWrite(value, own, key) : () => value as Holder)
    }
  }
}

/** The framework may hold the same list, so it is copied before a text in it is replaced. */
function copyOnWrite(list: readonly unknown[], own: () => Holder, key: string): () => Holder {
  let copy: Holder | undefined
  return () => (copy ??= (own()[key] = [...list] as unknown as Holder) as Holder)
}

function isList(value: object): value is unknown[] {
  return Array.isArray(value) && value.some((item) => typeof item === 'string' || Array.isArray(item))
}
