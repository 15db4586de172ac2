import { checkShape, toText } from '../check-shape'
import type { FilePath } from '../read-error'
import { PropertySchema } from './wsjf-schema'

const MAX_DEPTH = 8
const MAX_NAME = 100

/** Every value of additional results, as `Scanner.Port = COM3`; what is nested deeper as JSON. @throws ReadError */
export function listProperties(sent: unknown, at: FilePath, path: readonly string[] = []): string[] {
  if (path.length > MAX_DEPTH) return [`${nameOf(path)} = ${toText(sent, at)}`]
  const { name = '', value, comment, props, array } = checkShape(PropertySchema, sent, at)
  const here = [...path, name.slice(0, MAX_NAME)]
  const remark = comment?.trim() ? ` (${comment.trim()})` : ''
  const items = array?.indexes ?? []
  return [
    ...(value?.trim() ? [`${nameOf(here)} = ${value.trim()}${remark}`] : []),
    ...props.flatMap((one, index) => listProperties(one, [...at, 'props', index], here)),
    ...items.flatMap(({ text = '', value: item }, index) =>
      listProperties(
        item ?? {},
        [...at, 'array', 'indexes', index, 'value'],
        [...here, text.slice(0, MAX_NAME)],
      ),
    ),
  ]
}

function nameOf(path: readonly string[]): string {
  return path.filter(Boolean).join('.') || 'value'
}
