import * as fs from 'node:fs/promises'
import path from 'node:path'
import { UsageError } from '../command-error'

type Glob = (
  patterns: readonly string[],
  options: { cwd: string; exclude: (file: string) => boolean },
) => AsyncIterable<string>

/** Finds files as `node --test` does. Patterns work since Node 21. @throws UsageError for a name without a file */
export async function findPatternFiles(patterns: readonly string[], folder: string): Promise<string[]> {
  const { glob } = fs as { glob?: Glob }
  const found = new Set<string>()
  for (const pattern of patterns) {
    const files = (await isFile(path.resolve(folder, pattern)))
      ? [pattern]
      : await expand(pattern, folder, glob)
    for (const file of files)
      found.add(path.relative(folder, path.resolve(folder, file)).replaceAll(path.sep, '/'))
  }
  return [...found].toSorted()
}

async function isFile(file: string): Promise<boolean> {
  return fs.stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  )
}

async function expand(pattern: string, folder: string, glob: Glob | undefined): Promise<string[]> {
  if (!glob) throw new UsageError(`there is no file ${pattern}; patterns need Node 22`)
  const exclude = (file: string) => path.basename(file) === 'node_modules'
  const files: string[] = []
  for await (const file of glob([pattern], { cwd: folder, exclude }))
    if (await isFile(path.resolve(folder, file))) files.push(file)
  return files
}
