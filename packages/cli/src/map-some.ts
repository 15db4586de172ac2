/** Maps the items in their order, a few of them at once. */
export async function mapSome<T, R>(
  items: readonly T[],
  most: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += most)
    results.push(...(await Promise.all(items.slice(at, at + most).map(map))))
  return results
}
