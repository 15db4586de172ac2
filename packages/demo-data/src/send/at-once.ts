/** So many requests of one project, or of the line, wait for their answers at once. */
const AT_ONCE = 8

/** Does something with each item, with some of them at once; begins them in their order. */
export async function doAtOnce<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const work = async () => {
    for (const item of waiting) await act(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
