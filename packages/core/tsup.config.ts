import { definePackage } from '../../tsup.base'

// p-limit is ESM only: bundled, so that the CJS build loads on every Node we support.
export default definePackage({
  entry: { index: 'src/index.ts', link: 'src/link/index.ts' },
  noExternal: ['p-limit', 'yocto-queue'],
})
