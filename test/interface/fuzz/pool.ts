import type { Random } from '../../support/random'

/** Fields that name a record of some collection, in paths, queries and bodies. */
const FIELDS: Readonly<Record<string, string>> = {
  procedure_id: 'procedures.id',
  procedure_ids: 'procedures.id',
  serial_number: 'units.serial_number',
  serial_numbers: 'units.serial_number',
  sub_units: 'units.serial_number',
  part_number: 'parts.number',
  part_numbers: 'parts.number',
  revision_number: 'revisions.number',
  revision_numbers: 'revisions.number',
  batch_number: 'batches.number',
  batch_numbers: 'batches.number',
  procedure_version: 'versions.tag',
  tag: 'versions.tag',
  station_id: 'stations.id',
  upload_id: 'attachments.id',
  run_id: 'runs.id',
  run_ids: 'runs.id',
  attachments: 'attachments.id',
  fingerprints: 'errors.fingerprint',
  error_fingerprints: 'errors.fingerprint',
}

const NAMES = ['id', 'number', 'serial_number', 'tag', 'fingerprint']
const MAX_KEPT = 40

/** What earlier answers named, so that later requests reach records that exist. */
export class Pool {
  readonly #values = new Map<string, string[]>()
  readonly #protected: ReadonlySet<string>

  /** `kept`: what no request may name, for it would end the fuzzing itself: keys and stations that it works with. */
  constructor(kept: Iterable<string>) {
    this.#protected = new Set(kept)
  }

  /** Remembers what a response names; `path` is its operation's. */
  harvest(path: string, answer: unknown): void {
    this.#harvest(collectionOf(path), answer, 0)
  }

  add(key: string, value: string): void {
    if (this.#protected.has(value)) return
    const values = this.#values.get(key) ?? []
    if (values.includes(value)) return
    values.push(value)
    this.#values.set(key, values.slice(-MAX_KEPT))
  }

  /** A value for a parameter of a path or a field; undefined when nothing is known for it. */
  pick(random: Random, path: string, field: string): string | undefined {
    // `/v2/runs/{id}/attachments` is of attachments, its id of a run.
    const named = /\/(\w+)\/\{(\w+)\}/g
    const before = [...path.matchAll(named)].find(([, , name]) => name === field)?.[1]
    const collection = before ?? collectionOf(path)
    const own = field === 'ids' ? 'id' : field
    return this.pickKey(random, FIELDS[field] ?? `${collection}.${own}`)
  }

  pickKey(random: Random, key: string): string | undefined {
    const values = this.#values.get(key)
    return values?.[random.between(0, values.length - 1)]
  }

  #harvest(collection: string, value: unknown, depth: number): void {
    if (Array.isArray(value)) {
      for (const one of value.slice(0, 5)) this.#harvest(collection, one, depth + 1)
      return
    }
    if (typeof value !== 'object' || value === null || depth > 4) return
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string') this.#harvestText(collection, name, inner)
      else this.#harvest(name === 'data' ? collection : (COLLECTION_OF[name] ?? collection), inner, depth + 1)
    }
  }

  #harvestText(collection: string, name: string, value: string): void {
    const purpose = /^https?:.*\/(uploads|downloads|images)\/[^/]+\?/.exec(value)?.[1]
    if (purpose) this.add(`${purpose}.address`, value)
    if (NAMES.includes(name)) this.add(`${name === 'serial_number' ? 'units' : collection}.${name}`, value)
  }
}

const COLLECTION_OF: Readonly<Record<string, string>> = {
  procedure: 'procedures',
  unit: 'units',
  units: 'units',
  part: 'parts',
  revision: 'revisions',
  revisions: 'revisions',
  batch: 'batches',
  version: 'versions',
  phases: 'phases',
  measurements: 'measurements',
  attachments: 'attachments',
  logs: 'logs',
  sub_units: 'units',
  children: 'units',
  parent: 'units',
  aggregations: 'none',
  created_by_user: 'users',
  created_by_station: 'stations',
  operated_by: 'users',
  meta: 'none',
}

/** `/v2/parts/{part_number}/revisions` is of revisions. */
function collectionOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith('{'))
  const last = parts.at(-1) ?? ''
  if (last === 'uploads' || parts.includes('initialize')) return 'attachments'
  return ['create', 'finalize', 'regenerate', 'metadata', 'current'].includes(last)
    ? (parts.at(-2) ?? '')
    : last
}
