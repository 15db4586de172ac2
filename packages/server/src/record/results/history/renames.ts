import { groupBy } from '../../../storage/database/rows'

export interface NamedTest {
  id: number
  suiteId: number
  projectId: number
  name: string
}

/**
 * Pairs of a vanished and a new test of one build that are one test: the file moved, or only one title changed. Neither may have
 * another candidate.
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

/** Two are enough to see that a test has several. */
function listCandidates(test: NamedTest, others: ByKey): NamedTest[] {
  return listKeys(test).flatMap((key) => others.get(key)?.slice(0, 2) ?? [])
}

const MOST_TITLES = 20

/** Two tests, of which one is gone, may be the same if they share a key. */
function listKeys({ suiteId, projectId, name }: NamedTest): string[] {
  const titles = name.split(' › ')
  const changed = titles.length > MOST_TITLES ? [] : titles
  return [
    JSON.stringify([projectId, name]),
    ...changed.map((_, index) => JSON.stringify([suiteId, index, ...titles.toSpliced(index, 1, '')])),
  ]
}
