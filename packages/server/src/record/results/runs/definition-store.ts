import { createHash } from 'node:crypto'
import { mapInTurns } from '../../../base/clock'
import type { Transaction } from '../../../storage/database/database'
import { inChunks, insertRows } from '../../../storage/database/rows'
import type { KeyGenerator } from '../../../storage/database/keys'

export interface Definition {
  name: string
  unitOfMeasure: string | null
}

interface DefinitionScope {
  transaction: Transaction
  procedureId: number
  nextKey: KeyGenerator
  cache: DefinitionCache
}

const LOOKUP_SIZE = 64

/** NUL separates the parts: names contain none. */
export function formatDefinition({ name, unitOfMeasure }: Definition): string {
  return unitOfMeasure === null ? name : `${name}\0${unitOfMeasure}`
}

/** Keys by text; new definitions are inserted. Hand the result to the cache after the commit. */
export async function resolveDefinitions(
  scope: DefinitionScope,
  definitions: ReadonlyMap<string, Definition>,
): Promise<Map<string, number>> {
  const keys = new Map<string, number>()
  const unknown: NewDefinition[] = []
  await mapInTurns([...definitions], ([text, definition]) => {
    const known = scope.cache.get(scope.procedureId, text)
    if (known === undefined) unknown.push({ ...definition, text, digest: digestDefinition(text) })
    else keys.set(text, known)
  })
  // Sorted, so that transactions that insert the same definitions cannot deadlock.
  unknown.sort((left, right) => (left.digest < right.digest ? -1 : 1))
  // In chunks, so that others are answered in between.
  for (const some of inChunks(unknown)) {
    await readKeys(scope, some, keys)
    const missing = some.filter(({ text }) => !keys.has(text))
    await insertDefinitions(scope, missing)
    await readKeys(scope, missing, keys)
  }
  return keys
}

interface NewDefinition extends Definition {
  text: string
  /** For finding it: the text may be too long for an index. */
  digest: string
}

/** What the database finds a definition by. */
export function digestDefinition(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

async function readKeys(
  scope: DefinitionScope,
  definitions: readonly NewDefinition[],
  keys: Map<string, number>,
): Promise<void> {
  const texts = new Map(definitions.map(({ digest, text }) => [digest, text]))
  for (let from = 0; from < definitions.length; from += LOOKUP_SIZE) {
    const digests = definitions.slice(from, from + LOOKUP_SIZE).map(({ digest }) => digest)
    const padded = [...digests, ...Array<string>(LOOKUP_SIZE - digests.length).fill('')]
    const sql = `SELECT id, digest FROM definitions WHERE procedure_id = ? AND digest IN (${placeholders})`
    const rows = await scope.transaction.all<{ id: number; digest: string }>(sql, [
      scope.procedureId,
      ...padded,
    ])
    for (const { id, digest } of rows) keys.set(texts.get(digest) ?? '', id)
  }
}

const placeholders = Array.from({ length: LOOKUP_SIZE }, () => '?').join(', ')

async function insertDefinitions(
  scope: DefinitionScope,
  definitions: readonly NewDefinition[],
): Promise<void> {
  await insertRows(scope.transaction, {
    table: 'definitions',
    columns: ['id', 'procedure_id', 'digest', 'name', 'unit_of_measure'],
    rows: definitions.map(({ digest, name, unitOfMeasure }) => [
      scope.nextKey(),
      scope.procedureId,
      digest,
      name,
      unitOfMeasure,
    ]),
    suffix: 'ON CONFLICT (procedure_id, digest) DO NOTHING',
  })
}

/** In characters; names may have 10,000 each. */
const MAX_SIZE = 12_000_000
const ENTRY_SIZE = 60

/** By procedure and text. Fill it only after the commit that made the keys. */
export class DefinitionCache {
  readonly #keys = new Map<string, number>()
  #size = 0

  get(procedureId: number, text: string): number | undefined {
    return this.#keys.get(`${procedureId} ${text}`)
  }

  addAll(procedureId: number, definitions: ReadonlyMap<string, number>): void {
    for (const [text, id] of definitions) {
      const key = `${procedureId} ${text}`
      if (this.#keys.has(key)) continue
      this.#size += key.length + ENTRY_SIZE
      if (this.#size > MAX_SIZE) {
        this.#keys.clear()
        this.#size = key.length + ENTRY_SIZE
      }
      this.#keys.set(key, id)
    }
  }
}
