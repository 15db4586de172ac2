/** What the record behind a derived UUID is; part of the UUID itself. */
export const DERIVED_KIND = { phase: 1, measurement: 2, log: 3, aggregation: 4 } as const
export type DerivedKind = keyof typeof DERIVED_KIND

/**
 * The public id of a record that has no id column of its own: a version 8 UUID that holds its 53-bit key, so that
 * 200 steps of a run need not store 200 UUIDs. `ordinal` tells apart several records that hang on one key.
 */
export function deriveUuid(kind: DerivedKind, key: number, ordinal = 0): string {
  const digits = key.toString(16).padStart(14, '0')
  const kindDigits = DERIVED_KIND[kind].toString(16).padStart(3, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${kindDigits}-80${digits.slice(12)}-${ordinal.toString(16).padStart(12, '0')}`
}

/** The key within a derived UUID, or undefined when it is none of that kind. */
export function parseDerivedUuid(kind: DerivedKind, uuid: string): number | undefined {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-80([0-9a-f]{2})-0{12}$/i.exec(uuid)
  if (!match || Number.parseInt(match[3] ?? '', 16) !== DERIVED_KIND[kind]) return undefined
  const key = Number.parseInt(`${match[1]}${match[2]}${match[4]}`, 16)
  return Number.isSafeInteger(key) ? key : undefined
}
