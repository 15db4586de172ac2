import { copyFile } from 'node:fs/promises'
import { definePackage } from '../../tsup.base'
import { copyDashboard } from './scripts/copy-dashboard'

/** Private, so bundled from its sources. */
const READERS = '../readers/src/index.ts'

export default definePackage({
  shims: true,
  noExternal: ['@runledger/readers'],
  dts: { compilerOptions: { paths: { '@runledger/readers': [READERS] } } },
  esbuildOptions: (options) => {
    options.alias = { '@runledger/readers': READERS }
  },
  onSuccess: async () => {
    await copyDashboard()
    // Started by its path, from both formats.
    await copyFile('src/database/sqlite-worker.cjs', 'dist/sqlite-worker.cjs')
  },
})
