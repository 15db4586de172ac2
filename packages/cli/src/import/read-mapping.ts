import { type TabularMapping, TabularMappingSchema } from '@runledger/protocol'
import { checkShape, ReadError } from '@runledger/readers'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { CommandError } from '../command-error'

/** Reads a mapping of CSV columns, JSON or YAML. @throws CommandError that names the file and the member */
export function readMapping(name: string, file: string): TabularMapping {
  try {
    // JSON is YAML.
    const sent: unknown = parse(readFileSync(file, 'utf8'))
    const mapping = checkShape(TabularMappingSchema, sent)
    refuseUnknownMembers(sent, mapping, [])
    return mapping
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandError(`${name}: ${code === 'ENOENT' ? 'there is no such file' : message}`, {
      cause: error,
    })
  }
}

/** Otherwise a misspelt member would be ignored. @throws ReadError */
function refuseUnknownMembers(sent: unknown, read: unknown, path: readonly (string | number)[]): void {
  if (Array.isArray(sent) && Array.isArray(read)) {
    for (const [index, one] of sent.entries()) refuseUnknownMembers(one, read[index], [...path, index])
    return
  }
  if (!isObject(sent) || !isObject(read)) return
  for (const [name, value] of Object.entries(sent)) {
    if (value === null) continue
    if (!Object.hasOwn(read, name)) {
      const known = Object.keys(read).join(', ')
      throw new ReadError([
        { path: [...path, name], message: `is not a member of the mapping. Known members here: ${known}` },
      ])
    }
    refuseUnknownMembers(value, read[name], [...path, name])
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
