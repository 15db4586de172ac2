import { existsSync } from 'node:fs'
import path from 'node:path'

/**
 * Finds the first of several programs in `PATH`.
 * @param {...string} names
 * @returns {string | undefined} Its path.
 */
export function findProgram(...names) {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file))
}
