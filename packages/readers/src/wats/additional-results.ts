import { joinNames, type TextList } from '../unit/text-list'

const MAX_DEPTH = 100

/** Members that say how a property or an array is stored. */
const FORM = new Set(['type', 'flags', 'numFormat', 'dimension'])
/** Members that contain the values of a property or an array. Their own names are left out. */
const PLAIN = new Set(['props', 'array', 'indexes', 'value'])

/** Adds every value of additional results, such as `Scanner.Port = COM3`. The results may have any form. */
export function addResults(sent: unknown, list: TextList, { name = '', depth = 0 } = {}): void {
  if (sent === null || sent === undefined) return
  if (typeof sent !== 'object') return list.add(name, String(sent).trim())
  if (depth > MAX_DEPTH) return list.leaveOut()
  if (Array.isArray(sent)) {
    for (const one of sent) addResults(one, list, { name, depth: depth + 1 })
    return
  }
  const members = new Map<string, unknown>(Object.entries(sent))
  const isOfWats = [...PLAIN].some((key) => members.has(key))
  const labelled = isOfWats ? ['name', 'text'].find((key) => typeof members.get(key) === 'string') : undefined
  const here = labelled === undefined ? name : joinNames(name, members.get(labelled) as string)
  for (const [key, one] of members) {
    // An element of an array has its index both as text and as numbers.
    const isRead =
      key === labelled || (isOfWats && FORM.has(key)) || (key === 'indexes' && labelled === 'text')
    if (isRead) continue
    addResults(one, list, { name: PLAIN.has(key) ? here : joinNames(here, key), depth: depth + 1 })
  }
}
