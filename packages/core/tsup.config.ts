import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { definePackage, shorten } from '../../tsup.base'
import { cjsAsWritten, mergeFiles } from './tsup.cjs'

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
  onSuccess: async () => {
    const light = ['link.cjs', 'test-side.cjs']
    mergeFiles('dist', { entry: 'index.cjs', into: 'core.cjs', apart: light })
    const delivery = readdirSync('dist').find((name) => /^deliver-execution-\w+\.cjs$/.test(name))
    if (delivery === undefined) throw new Error('The delivery is not loaded apart from the rest')
    mergeFiles('dist', { entry: delivery, into: 'delivery.cjs', apart: [...light, 'core.cjs'] })
    writeFileSync('dist/licenses.txt', BUNDLED.map(readLicense).join('\n'))
  },
})

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
