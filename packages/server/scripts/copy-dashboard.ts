import { existsSync } from 'node:fs'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const COMPRESSED = new Set(['.js', '.css', '.svg', '.json'])
const MIN_BYTES = 1024

/** Copies the built dashboard into this package, compressed forms beside it; without one the service says so itself. */
export async function copyDashboard(): Promise<void> {
  const source = fileURLToPath(new URL('../../dashboard/dist', import.meta.url))
  const target = fileURLToPath(new URL('../dist/dashboard', import.meta.url))
  await rm(target, { recursive: true, force: true })
  if (!existsSync(join(source, 'index.html'))) {
    console.warn('The dashboard is not built: the service will say so in its place.')
    return
  }
  await cp(source, target, { recursive: true })
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && COMPRESSED.has(extname(entry.name)))
      await compress(join(entry.parentPath, entry.name))
  }
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < MIN_BYTES) return
  await writeFile(`${path}.br`, brotliCompressSync(content))
  await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }))
}
