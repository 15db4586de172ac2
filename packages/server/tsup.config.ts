import { copyFile } from 'node:fs/promises'
import { definePackage } from '../../tsup.base'
import { copyDashboard } from './scripts/copy-dashboard'

/** Private, so bundled from its sources. */
const READERS = '../readers/src/index.ts'
const STATISTICS = '../statistics/src/index.ts'

export default definePackage({
  shims: true,
  noExternal: ['@runledger/readers', '@runledger/statistics'],
  dts: {
    compilerOptions: { paths: { '@runledger/readers': [READERS], '@runledger/statistics': [STATISTICS] } },
  },
  esbuildOptions: (options) => {
    options.alias = { '@runledger/readers': READERS, '@runledger/statistics': STATISTICS }
  },
  onSuccess: async () => {
    await copyDashboard()
    // Started by its path, from both formats.
    await copyFile('src/storage/database/sqlite/sqlite-worker.cjs', 'dist/sqlite-worker.cjs')
  },
})
