import { expectDuration, medianOf } from './expected-duration'

export interface ShardHistory {
  /** Durations of each file in its last builds, the oldest first. */
  readonly durations: ReadonlyMap<string, readonly number[]>
  /** The start-up of each file, in the same unit as its duration. */
  readonly startUp: number
}

export const NO_HISTORY: ShardHistory = { durations: new Map(), startUp: 0 }

/**
 * Assigns files to shards: the longest file first, each to the shortest shard so far. A file without a duration is assumed to take the
 * median of its folder, else of all files. Without history, shards take turns in the order of the files' names.
 */
export function planShards(files: readonly string[], total: number, history: ShardHistory): string[][] {
  const weights = weighFiles(files, history)
  const shards = Array.from({ length: total }, () => ({ files: [] as string[], load: 0 }))
  for (const { file, weight } of weights) {
    const shortest = shards.reduce((best, shard) => (isShorter(shard, best) ? shard : best))
    shortest.files.push(file)
    shortest.load += weight
  }
  return shards.map((shard) => shard.files.toSorted())
}

interface Shard {
  files: readonly string[]
  load: number
}

function isShorter(one: Shard, other: Shard): boolean {
  return one.load < other.load || (one.load === other.load && one.files.length < other.files.length)
}

/** Sorts the longest file first, and equally long files by name. */
function weighFiles(
  files: readonly string[],
  { durations, startUp }: ShardHistory,
): { file: string; weight: number }[] {
  const known = new Map<string, number>()
  const folders = new Map<string, number[]>()
  for (const [file, all] of durations) {
    const duration = expectDuration(all)
    if (duration === undefined) continue
    known.set(file, duration)
    const folder = folders.get(folderOf(file))
    if (folder) folder.push(duration)
    else folders.set(folderOf(file), [duration])
  }
  const ofAll = medianOf([...known.values()]) ?? 0
  const ofFolders = new Map([...folders].map(([folder, all]) => [folder, medianOf(all)]))
  const weigh = (file: string) => startUp + (known.get(file) ?? ofFolders.get(folderOf(file)) ?? ofAll)
  return [...new Set(files)]
    .toSorted()
    .map((file) => ({ file, weight: weigh(file) }))
    .toSorted((one, other) => other.weight - one.weight)
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/') + 1)
}
