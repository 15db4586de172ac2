import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Identifier and name of the first procedure. */
export interface ProjectName {
  identifier: string
  name: string
}

/**
 * Names the first procedure after the nearest package.json upward that has a name, else after the folder. The
 * identifier has no scope mark: `@acme/lamp` is `acme-lamp`; the name stays as it is.
 */
export async function resolveProjectName(projectDir: string): Promise<ProjectName> {
  const name = (await findPackageName(projectDir)) ?? (basename(projectDir).trim() || 'tests')
  const identifier = name
    .replace(/^@/, '')
    .replaceAll(/[\\/\s]+/g, '-')
    .slice(0, 255)
  return { identifier: identifier || 'tests', name: name.slice(0, 255) }
}

async function findPackageName(folder: string): Promise<string | undefined> {
  const name = await readPackageName(join(folder, 'package.json'))
  const parent = dirname(folder)
  return name ?? (parent === folder ? undefined : findPackageName(parent))
}

async function readPackageName(path: string): Promise<string | undefined> {
  try {
    const content = JSON.parse(await readFile(path, 'utf8')) as unknown
    if (typeof content !== 'object' || content === null || !('name' in content)) return undefined
    return typeof content.name === 'string' && content.name.trim() ? content.name.trim() : undefined
  } catch {
    return undefined
  }
}
