import { readFileSync } from 'node:fs'
import path from 'node:path'
import { listFoldersUpward } from '../options/credentials'

export interface PackageFacts {
  /** The package's name, or the project folder's when no package.json names one. */
  name: string
  version?: string | undefined
}

/** Name and version from the nearest package.json with a name, from the project root upward. */
export function readPackageFacts(rootDir: string): PackageFacts {
  for (const folder of listFoldersUpward(rootDir)) {
    const facts = readPackageFile(path.join(folder, 'package.json'))
    if (facts) return facts
  }
  return { name: path.basename(path.resolve(rootDir)) || 'project' }
}

function readPackageFile(file: string): PackageFacts | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown; version?: unknown }
    if (typeof name !== 'string' || name.trim() === '') return undefined
    return { name, version: typeof version === 'string' && version.trim() !== '' ? version : undefined }
  } catch {
    return undefined
  }
}
