const AT_ONCE = 4

/** Does something with every item, a few at a time: as many as the process does file work at once. */
export async function doFew<Item>(
  items: Iterable<Item>,
  action: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items].values()
  const work = async (): Promise<void> => {
    for (const item of queue) await action(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
