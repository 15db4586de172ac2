/** What the record behind a derived UUID is; part of the UUID itself. */
export const DERIVED_KIND = { phase: 1, measurement: 2, log: 3, aggregation: 4 } as const
export type DerivedKind = keyof typeof DERIVED_KIND

/** The keys of a record of a run: its run's, and its own, which is higher. */
export interface RecordKeys {
  run_id: number
  id: number
}

/**
 * The public id of a record that has no id column of its own: a version 8 UUID that holds the key of its run and how far
 * its own is from that, so that 200 steps of a run need not store 200 UUIDs. `ordinal` tells apart several records that
 * hang on one key.
 */
export function deriveUuid(kind: DerivedKind, { run_id: runId, id }: RecordKeys, ordinal = 0): string {
  const head = `${DERIVED_KIND[kind].toString(16)}${toHex(runId, 14)}`
  const tail = `${toHex(id - runId, 10)}${toHex(ordinal, 5)}`
  return `${head.slice(0, 8)}-${head.slice(8, 12)}-8${head.slice(12)}-8${tail.slice(0, 3)}-${tail.slice(3)}`
}

function toHex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** The keys within a derived UUID, or undefined when it is none of that kind. */
export function parseDerivedUuid(kind: DerivedKind, uuid: string): RecordKeys | undefined {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{7})0{5}$/i.exec(uuid)
  if (!match) return undefined
  const [, first = '', second = '', third = '', fourth = '', fifth = ''] = match
  const runId = Number.parseInt(`${first.slice(1)}${second}${third}`, 16)
  const id = runId + Number.parseInt(`${fourth}${fifth}`, 16)
  const isOfKind = Number.parseInt(first.charAt(0), 16) === DERIVED_KIND[kind]
  return isOfKind && Number.isSafeInteger(id) ? { run_id: runId, id } : undefined
}
