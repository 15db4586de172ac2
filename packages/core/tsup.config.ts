import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { transform, type TransformOptions } from 'esbuild'
import type { Options } from 'tsup'
import { definePackage, shorten } from '../../tsup.base'

/** Packages of others whose code is in the bundle, and that their authors are named for beside it. */
const BUNDLED = [
  'p-limit',
  'yocto-queue',
  'zod',
  'mrmime',
  'fastest-levenshtein',
  'supports-hyperlinks',
  'supports-color',
  'has-flag',
]

// p-limit is ESM only: bundled, so that the CJS build loads on every Node we support. Of zod and the contract only what
// core uses is bundled: loading all of zod takes longer than recording a small execution.
export default definePackage({
  entry: {
    index: 'src/index.ts',
    link: 'src/link/index.ts',
    'test-side': 'src/test-side/index.ts',
    tools: 'src/tools.ts',
  },
  splitting: true,
  plugins: [cjsAsWritten()],
  noExternal: [...BUNDLED, '@runledger/protocol'],
  esbuildOptions: (options) => {
    shorten(options)
    options.alias = { '@runledger/protocol': '../protocol/src/index.ts' }
  },
  onSuccess: async () => writeFileSync('dist/licenses.txt', BUNDLED.map(readLicense).join('\n')),
})

/**
 * The CJS build with nothing rewritten but imports and exports. tsup's own step also takes `?.` and `??` apart for old
 * engines, into calls with a closure for each: mapping a run then allocates twice as much. It also takes the names of
 * exported classes, and its source maps end at the first template of a line.
 */
function cjsAsWritten(): NonNullable<Options['plugins']>[number] {
  return {
    name: 'cjs-as-written',
    async renderChunk(code, { type, path: sourcefile }) {
      if (this.format !== 'cjs' || type !== 'chunk') return undefined
      // What the step of tsup that comes after this one asks for.
      this.splitting = false
      const options: TransformOptions = {
        format: 'cjs',
        platform: 'node',
        target: 'node20',
        banner: '"use strict";',
      }
      shorten(options)
      // As in the reporters: making Node's ESM loader ready costs as much as a quarter of loading core.
      options.supported = { 'dynamic-import': false }
      return transform(code, { ...options, sourcefile, sourcemap: 'external' })
    },
  }
}

function readLicense(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? []
  for (const folder of folders.map((found) => path.join(found, name))) {
    const file = listNames(folder).find((found) => /^licen[cs]e/i.test(found))
    if (file) return `${name}\n\n${readFileSync(path.join(folder, file), 'utf8')}`
  }
  throw new Error(`${name} is bundled, and its licence is not there to go with it`)
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
