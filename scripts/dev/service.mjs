// Runs the command from its sources, with the arguments of `runledger`, and ends with RELOAD when one of them changes.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { createServer } from 'vite'
import { RELOAD } from './reload.mjs'

const packages = path.resolve(import.meta.dirname, '../../packages')
const bin = path.join(packages, 'cli/src/bin.ts')

const vite = await createServer({
  root: packages,
  configFile: false,
  appType: 'custom',
  cacheDir: path.resolve(packages, '../.cache/vite-service'),
  // Standard output is for the lines of `serve --json`.
  logLevel: 'error',
  resolve: { alias: listAliases() },
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, ws: false, watch: { ignored: ['**/dist/**', '**/recordings/**'] } },
})

let isReloading = false
vite.watcher.on('change', (file) => {
  if (vite.moduleGraph.getModulesByFile(file) === undefined && !file.endsWith('.cjs')) return
  // `serve` stops at this signal, and then the process ends below.
  isReloading = true
  if (!process.emit('SIGTERM')) process.exit(RELOAD)
})
// Whoever started this process is gone.
process.once('disconnect', () => process.emit('SIGTERM') || process.exit())

try {
  await vite.ssrLoadModule(bin)
  process.exit(isReloading ? RELOAD : process.exitCode)
} catch (error) {
  vite.ssrFixStacktrace(error)
  console.error(error)
  console.error('service: waiting for a change')
}

/** Our packages by name, those with more entries first. */
function listAliases() {
  const names = readdirSync(packages).filter((name) => existsSync(path.join(packages, name, 'src/index.ts')))
  return [
    { find: '@runledger/core/light', replacement: path.join(packages, 'core/src/light.ts') },
    { find: '@runledger/core/tools', replacement: path.join(packages, 'core/src/tools.ts') },
    ...names.map((name) => ({
      find: `@runledger/${name}`,
      replacement: path.join(packages, name, 'src/index.ts'),
    })),
  ]
}
