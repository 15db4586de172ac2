import { existsSync } from 'node:fs'
import { copyFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const COMPRESSED = new Set(['.js', '.css', '.svg', '.json', '.ttf'])
const MIN_BYTES = 1024

/** Copies the built dashboard into this package, compressed forms beside it; without one the service says so itself. */
export async function copyDashboard(): Promise<void> {
  const source = fileURLToPath(new URL('../../dashboard/dist', import.meta.url))
  if (existsSync(join(source, 'index.html'))) await copyPages(source, 'dashboard')
  else console.warn('The dashboard is not built: the service will say so in its place.')
}

/** Parts of the viewer for Playwright's own UI mode. */
const NOT_SERVED = /^(?:uiMode|xtermModule)[.-]/

/** What the licence asks to hand on with a copy. */
const NOTICES = ['LICENSE', 'NOTICE', 'ThirdPartyNotices.txt']

/** Copies Playwright's trace viewer out of playwright-core, unchanged, with its licence. */
export async function copyTraceViewer(): Promise<void> {
  const playwright = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'))
  const target = await copyPages(
    join(playwright, 'lib/vite/traceViewer'),
    'trace-viewer',
    (path) => !NOT_SERVED.test(basename(path)),
  )
  for (const name of NOTICES) await copyFile(join(playwright, name), join(target, name))
}

/** Copies files into a folder of the built package, which it returns. */
async function copyPages(
  source: string,
  name: string,
  filter: (path: string) => boolean = () => true,
): Promise<string> {
  const target = fileURLToPath(new URL(`../dist/${name}`, import.meta.url))
  await rm(target, { recursive: true, force: true })
  await cp(source, target, { recursive: true, filter })
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && COMPRESSED.has(extname(entry.name)))
      await compress(join(entry.parentPath, entry.name))
  }
  return target
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < MIN_BYTES) return
  await writeFile(`${path}.br`, brotliCompressSync(content))
  await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }))
}
