import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const PACKAGES = ['jest', 'jest-cli', '@jest/core']

/** Resolved from the started script, else from the project. */
export function readJestVersion(rootDir: string, script: string | undefined): string {
  const origins = [...(script === undefined ? [] : [script]), join(rootDir, 'package.json')]
  for (const origin of origins) {
    for (const name of PACKAGES) {
      const version = readVersion(name, origin)
      if (version !== undefined) return version
    }
  }
  return 'unknown'
}

function readVersion(name: string, from: string): string | undefined {
  try {
    const manifest: unknown = createRequire(realpathSync.native(from))(`${name}/package.json`)
    if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return undefined
    return typeof manifest.version === 'string' ? manifest.version : undefined
  } catch {
    return undefined
  }
}
