import { definePackage } from '../../tsup.base'

// p-limit is ESM only: bundled, so that the CJS build loads on every Node we support.
export default definePackage({ noExternal: ['p-limit', 'yocto-queue'] })
