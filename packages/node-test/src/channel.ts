import { createHash } from 'node:crypto'
import path from 'node:path'

/** The diagnostic that names the file with a test's events. */
const DIAGNOSTIC = /^runledger: calls ([\w-]+)$/

export function formatDiagnostic(id: string): string {
  return `runledger: calls ${id}`
}

export function readDiagnostic(message: string): string | undefined {
  return DIAGNOSTIC.exec(message)?.[1]
}

export function idOfFile(file: string): string {
  return createHash('sha256').update(path.resolve(file)).digest('hex')
}
