import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The file in a data folder that has these bytes, by its name; undefined when there is none. */
export function findBlobFile(dataDir: string, bytes: string): string | undefined {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const folder = join(dataDir, 'blobs', sha256.slice(0, 2))
  const name = existsSync(folder) ? readdirSync(folder).find((file) => file.startsWith(sha256)) : undefined
  return name && join(folder, name)
}
