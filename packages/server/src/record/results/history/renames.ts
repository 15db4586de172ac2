import { groupBy } from '../../../storage/database/rows'

/** A test as far as its name and place tell it from others. */
export interface NamedTest {
  id: number
  suiteId: number
  projectId: number
  name: string
}

/**
 * Pairs of a test that vanished and one that appeared in the same build, which are one test: the titles are equal and the
 * file moved, or the file is equal and only one title changed. A pair counts only where neither test has another candidate.
 */
export function findRenames(
  vanished: readonly NamedTest[],
  appeared: readonly NamedTest[],
): { earlier: number; later: number }[] {
  const [before, after] = [listByKey(vanished), listByKey(appeared)]
  return appeared.flatMap((later) => {
    const [earlier, ...others] = listCandidates(later, before)
    if (!earlier || others.length > 0 || listCandidates(earlier, after).length > 1) return []
    return [{ earlier: earlier.id, later: later.id }]
  })
}

type ByKey = ReadonlyMap<string, readonly NamedTest[]>

function listByKey(tests: readonly NamedTest[]): ByKey {
  const keyed = tests.flatMap((test) => listKeys(test).map((key) => ({ key, test })))
  return new Map(
    [...groupBy(keyed, ({ key }) => key)].map(([key, all]) => [key, all.map(({ test }) => test)]),
  )
}

/** Two of them are enough to see that a test has several. */
function listCandidates(test: NamedTest, others: ByKey): NamedTest[] {
  return listKeys(test).flatMap((key) => others.get(key)?.slice(0, 2) ?? [])
}

/** Longer names are compared as a whole. */
const MOST_TITLES = 20

/** Two tests, of which one is gone, may be the same if they have one of these in common. */
function listKeys({ suiteId, projectId, name }: NamedTest): string[] {
  const titles = name.split(' › ')
  const changed = titles.length > MOST_TITLES ? [] : titles
  return [
    JSON.stringify([projectId, name]),
    ...changed.map((_, index) => JSON.stringify([suiteId, index, ...titles.toSpliced(index, 1, '')])),
  ]
}
