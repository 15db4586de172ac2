import { createHash } from 'node:crypto'
import type { Transaction } from '../database/database'
import { insertRows } from '../database/insert-rows'
import type { KeyGenerator } from '../database/key-generator'
import type { DefinitionCache } from './definition-cache'

export interface Definition {
  name: string
  unitOfMeasure: string | null
}

export interface DefinitionScope {
  transaction: Transaction
  procedureId: number
  nextKey: KeyGenerator
  cache: DefinitionCache
}

const LOOKUP_SIZE = 64

/** Tells definitions apart; names are too long for an index, and hold no NUL. */
export function digestDefinition({ name, unitOfMeasure }: Definition): string {
  const text = unitOfMeasure === null ? name : `${name}\0${unitOfMeasure}`
  return createHash('sha256').update(text).digest('base64url')
}

/** Keys of all these definitions by their digest, those that are new inserted; hand it to the cache after the commit. */
export async function resolveDefinitions(
  scope: DefinitionScope,
  definitions: ReadonlyMap<string, Definition>,
): Promise<Map<string, number>> {
  const keys = new Map<string, number>()
  for (const digest of definitions.keys()) {
    const known = scope.cache.get(scope.procedureId, digest)
    if (known !== undefined) keys.set(digest, known)
  }
  await readKeys(scope, missing(definitions, keys), keys)
  await insertDefinitions(scope, definitions, missing(definitions, keys))
  await readKeys(scope, missing(definitions, keys), keys)
  return keys
}

// Sorted, so that two transactions that insert the same definitions cannot wait for each other.
function missing(definitions: ReadonlyMap<string, Definition>, keys: ReadonlyMap<string, number>): string[] {
  return [...definitions.keys()].filter((digest) => !keys.has(digest)).sort()
}

async function readKeys(scope: DefinitionScope, digests: string[], keys: Map<string, number>): Promise<void> {
  for (let from = 0; from < digests.length; from += LOOKUP_SIZE) {
    const some = digests.slice(from, from + LOOKUP_SIZE)
    const padded = [...some, ...Array<string>(LOOKUP_SIZE - some.length).fill('')]
    const sql = `SELECT id, digest FROM definitions WHERE procedure_id = ? AND digest IN (${placeholders})`
    const rows = await scope.transaction.all<{ id: number; digest: string }>(sql, [
      scope.procedureId,
      ...padded,
    ])
    for (const { id, digest } of rows) keys.set(digest, id)
  }
}

const placeholders = Array.from({ length: LOOKUP_SIZE }, () => '?').join(', ')

async function insertDefinitions(
  scope: DefinitionScope,
  definitions: ReadonlyMap<string, Definition>,
  digests: string[],
): Promise<void> {
  const rows = digests.flatMap((digest) => {
    const definition = definitions.get(digest)
    return definition
      ? [[scope.nextKey(), scope.procedureId, digest, definition.name, definition.unitOfMeasure]]
      : []
  })
  await insertRows(scope.transaction, {
    table: 'definitions',
    columns: ['id', 'procedure_id', 'digest', 'name', 'unit_of_measure'],
    rows,
    suffix: 'ON CONFLICT (procedure_id, digest) DO NOTHING',
  })
}
