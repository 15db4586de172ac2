import { copyFile } from 'node:fs/promises'
import { definePackage } from '../../tsup.base'
import { copyDashboard, copyTraceViewer } from './scripts/copy-pages'

/** Private packages, bundled from their sources. */
const OURS = {
  '@runledger/presentation': '../presentation/src/index.ts',
  '@runledger/readers': '../readers/src/index.ts',
  '@runledger/statistics': '../statistics/src/index.ts',
}

export default definePackage({
  shims: true,
  noExternal: Object.keys(OURS),
  dts: {
    compilerOptions: {
      paths: Object.fromEntries(Object.entries(OURS).map(([name, file]) => [name, [file]])),
    },
  },
  esbuildOptions: (options) => {
    options.alias = OURS
  },
  onSuccess: async () => {
    await copyDashboard()
    await copyTraceViewer()
    // Started by its path, from both formats.
    await copyFile('src/storage/database/sqlite/sqlite-worker.cjs', 'dist/sqlite-worker.cjs')
  },
})
