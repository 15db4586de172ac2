import { createHash } from 'node:crypto'
import path from 'node:path'

/** A test's diagnostic that says which file of the channel's folder has its events. */
const DIAGNOSTIC = /^runledger: calls ([\w-]+)$/

export function formatDiagnostic(id: string): string {
  return `runledger: calls ${id}`
}

export function readDiagnostic(message: string): string | undefined {
  return DIAGNOSTIC.exec(message)?.[1]
}

/** The id for calls outside of tests, derived from the path of the test file. */
export function idOfFile(file: string): string {
  return createHash('sha256').update(path.resolve(file)).digest('hex')
}
