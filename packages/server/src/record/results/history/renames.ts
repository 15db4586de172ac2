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
  const pairs = appeared.flatMap((later) =>
    vanished
      .filter((earlier) => isSame(earlier, later))
      .map((earlier) => ({ earlier: earlier.id, later: later.id })),
  )
  const count = (side: 'earlier' | 'later', id: number) => pairs.filter((pair) => pair[side] === id).length
  return pairs.filter(({ earlier, later }) => count('earlier', earlier) === 1 && count('later', later) === 1)
}

function isSame(earlier: NamedTest, later: NamedTest): boolean {
  if (earlier.suiteId !== later.suiteId)
    return earlier.projectId === later.projectId && earlier.name === later.name
  const [before, after] = [earlier.name.split(' › '), later.name.split(' › ')]
  return (
    before.length === after.length && before.filter((title, index) => title !== after[index]).length === 1
  )
}
