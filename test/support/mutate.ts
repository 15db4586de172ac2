import type { Random } from './random'

/** What third-party runners and other versions may hand over in place of a value. */
const NOTHING = [undefined, null, '', [], {}]
const OTHERS = [
  'other',
  true,
  false,
  0,
  -1,
  0.5,
  633.6,
  NaN,
  Infinity,
  1e300,
  [null],
  ['x'],
  { message: 'x' },
]
const REPLACEMENTS = [...NOTHING, ...OTHERS] as unknown as readonly [unknown, ...unknown[]]

/** A copy of recorded data in which one field or list entry, however deep, has another value or is missing. */
export interface Mutated<Data> {
  data: Data
  /** For messages, such as `testResults.0.title = null`. */
  change: string
}

export function mutate<Data>(data: Data, random: Random): Mutated<Data> {
  const copy = structuredClone(data)
  const path = random.pick([...listPaths(copy)] as [string[], ...string[][]])
  const parent = path.slice(0, -1).reduce((each, key) => each[key] as Fields, copy as Fields)
  const key = path.at(-1) ?? ''
  const place = path.join('.')
  if (random.chance(0.1)) {
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else Reflect.deleteProperty(parent, key)
    return { data: copy, change: `without ${place}` }
  }
  parent[key] = structuredClone(random.pick(REPLACEMENTS))
  return { data: copy, change: `${place} = ${String(JSON.stringify(parent[key]))}` }
}

type Fields = Record<string, unknown>

function* listPaths(data: unknown, path: readonly string[] = []): Generator<string[]> {
  if (typeof data !== 'object' || data === null) return
  for (const [key, value] of Object.entries(data)) {
    yield [...path, key]
    yield* listPaths(value, [...path, key])
  }
}
