import { copyFile } from 'node:fs/promises'
import { definePackage } from '../../tsup.base'
import { copyDashboard } from './scripts/copy-dashboard'

export default definePackage({
  shims: true,
  onSuccess: async () => {
    await copyDashboard()
    // Started by its path, from both formats.
    await copyFile('src/database/sqlite-worker.cjs', 'dist/sqlite-worker.cjs')
  },
})
