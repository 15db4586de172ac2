// Well below the least number of values that a supported database takes in one statement.
const CHUNK_SIZE = 500

/** Cuts a list into pieces that fit into one statement. */
export function* inChunks<Item>(items: readonly Item[]): Iterable<Item[]> {
  for (let from = 0; from < items.length; from += CHUNK_SIZE) yield items.slice(from, from + CHUNK_SIZE)
}
