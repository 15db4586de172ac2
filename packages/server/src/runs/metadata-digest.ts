import { createHash } from 'node:crypto'

/** What a report variable is found by: its value may be too long for an index. */
export function digestMetadata(name: string, value: string): string {
  return createHash('sha256').update(`${name}\0${value}`).digest('base64url').slice(0, 22)
}
