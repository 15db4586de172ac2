import * as z from 'zod'

/** Most entries of a list whose entries are looked up one by one in the transaction that writes. */
export const MAX_NAMED = 1000

/** What is found wrong in a list before the rest of it is not looked at. */
export const MAX_LIST_ISSUES = 50

const BoundedList: z.core.$constructor<z.ZodArray> = z.core.$constructor(
  'BoundedList',
  (list, definition) => {
    z.ZodArray.init(list, definition)
    const refuseOther = list._zod.parse
    list._zod.parse = (payload, context) => {
      const input = payload.value
      if (!Array.isArray(input)) return refuseOther(payload, context)
      const items: unknown[] = []
      for (const [index, item] of input.entries()) {
        const checked = definition.element._zod.run({ value: item, issues: [] }, context)
        if (checked instanceof Promise) throw new z.core.$ZodAsyncError()
        payload.issues.push(...z.core.util.prefixIssues(index, checked.issues))
        if (payload.issues.length >= MAX_LIST_ISSUES) break
        items.push(checked.value)
      }
      payload.value = items
      return payload
    }
  },
)

/**
 * `z.array` for lists that a client sends: it stops once `MAX_LIST_ISSUES` are found. A list of a million wrong values
 * would otherwise cost seconds, and gigabytes, to say a million times what is wrong.
 */
export function listOf<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return new BoundedList({ type: 'array', element: item }) as z.ZodArray as z.ZodArray<Item>
}
