import { readFileSync } from 'node:fs'
import path from 'node:path'

export interface Manifest {
  name?: string
  type?: string
  dependencies?: object
  devDependencies?: object
  scripts?: object
  workspaces?: unknown
  jest?: unknown
}

/** Undefined if the file is missing or malformed. */
export function readManifest(folder: string): Manifest | undefined {
  try {
    return (JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) ?? undefined) as Manifest
  } catch {
    return undefined
  }
}

export function readScripts({ scripts }: Manifest): Record<string, string> {
  return Object.fromEntries(Object.entries(scripts ?? {}).filter(([, script]) => typeof script === 'string'))
}
