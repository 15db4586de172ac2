import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
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

/** Our own packages in the bundle: their sources, so that only what core uses of them comes with it. */
const OURS = {
  '@runledger/protocol': '../protocol/src/index.ts',
  '@runledger/redact': '../redact/src/index.ts',
}

// p-limit is ESM only: bundled, so that the CJS build loads on every Node we support. Of zod and the contract only what
// core uses is bundled: loading all of zod takes longer than recording a small execution.
export default definePackage({
  entry: {
    index: 'src/index.ts',
    light: 'src/light.ts',
    tools: 'src/tools.ts',
  },
  // Entries share files as ESM, and are each one whole file as CJS.
  splitting: undefined,
  // Through `node_modules`, a type would stay an import of a private package.
  dts: { compilerOptions: { paths: { '@runledger/redact': [OURS['@runledger/redact']] } } },
  noExternal: [...BUNDLED, ...Object.keys(OURS)],
  esbuildOptions: (options) => {
    shorten(options)
    options.alias = OURS
  },
  onSuccess: async () => {
    writeFileSync('dist/licenses.md', BUNDLED.map(readLicense).join('\n'))
  },
})

function readLicense(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? []
  for (const folder of folders.map((found) => path.join(found, name))) {
    const file = listNames(folder).find((found) => /^licen[cs]e/i.test(found))
    if (file === undefined) continue
    const { version, license } = readManifest(folder)
    return `## ${name} - ${version} (${license})\n\n${readFileSync(path.join(folder, file), 'utf8')}`
  }
  throw new Error(`${name} is bundled, and its licence is not there to go with it`)
}

function readManifest(folder: string): { version: string; license: string } {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as ReturnType<
    typeof readManifest
  >
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
