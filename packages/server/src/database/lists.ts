// Well below the least number of values that a supported database takes in one statement.
const CHUNK_SIZE = 500

/** Cuts a list into pieces that fit into one statement. */
export function* inChunks<Item>(items: readonly Item[]): Iterable<Item[]> {
  for (let from = 0; from < items.length; from += CHUNK_SIZE) yield items.slice(from, from + CHUNK_SIZE)
}

/** Rows by one of their values, each group in the order of the rows. */
export function groupBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}
