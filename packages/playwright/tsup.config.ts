import { definePackage } from '../../tsup.base'

// The link is bundled: it is what a reporter has before core is loaded.
export default definePackage({
  noExternal: ['@runledger/core/link'],
  // `import.meta.url` in the CJS build.
  shims: true,
})
