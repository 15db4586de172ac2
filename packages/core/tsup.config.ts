import { definePackage } from '../../tsup.base'

// p-limit is ESM only: bundled, so that the CJS build loads on every Node we support. Of zod and the contract only what
// core uses is bundled: loading all of zod takes longer than recording a small execution.
export default definePackage({
  entry: { index: 'src/index.ts', link: 'src/link/index.ts' },
  noExternal: ['p-limit', 'yocto-queue', 'zod', '@runledger/protocol', 'mrmime', 'fastest-levenshtein'],
  esbuildOptions: (options) => {
    options.alias = { '@runledger/protocol': '../protocol/src/index.ts' }
  },
})
