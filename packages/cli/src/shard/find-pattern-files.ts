import type { Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { UsageError } from '../command-error'

/** A pattern in quotes, so that the shell does not expand it. */
export const PATTERN_EXAMPLE = '"test/**/*.test.js"'

type Glob = (
  patterns: readonly string[],
  options: { cwd: string; exclude: (file: string) => boolean },
) => AsyncIterable<string>

/** Finds files as `node --test` does. Patterns work since Node 21. @throws UsageError for a folder, and for a name without a file */
export async function findPatternFiles(patterns: readonly string[], folder: string): Promise<string[]> {
  const found = new Set<string>()
  for (const pattern of patterns) {
    for (const file of await listFiles(pattern, folder))
      found.add(path.relative(folder, path.resolve(folder, file)).replaceAll(path.sep, '/'))
  }
  return [...found].toSorted()
}

async function listFiles(pattern: string, folder: string): Promise<string[]> {
  const stats = await findStats(path.resolve(folder, pattern))
  if (stats?.isFile()) return [pattern]
  if (stats?.isDirectory())
    throw new UsageError(
      `${pattern} is a folder: name its files, or a pattern of them in quotes: ${PATTERN_EXAMPLE}`,
    )
  const { glob } = fs as { glob?: Glob }
  return expand(pattern, folder, glob)
}

/** Undefined if there is no such file. */
async function findStats(file: string): Promise<Stats | undefined> {
  return fs.stat(file).catch(() => undefined)
}

async function expand(pattern: string, folder: string, glob: Glob | undefined): Promise<string[]> {
  if (!glob) throw new UsageError(`there is no file ${pattern}; patterns need Node 22`)
  const exclude = (file: string) => path.basename(file) === 'node_modules'
  const files: string[] = []
  for await (const file of glob([pattern], { cwd: folder, exclude }))
    if ((await findStats(path.resolve(folder, file)))?.isFile()) files.push(file)
  return files
}
