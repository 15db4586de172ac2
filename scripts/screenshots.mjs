// npm run screenshots: pictures of every page, both widths and themes, in .cache/screenshots/ (where axe checks them too), those of a
// made-up year as `demo-…`, of which the README shows two in docs/images/.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { prepare } from './prepare.mjs'

const repository = path.resolve(import.meta.dirname, '..')
const folder = path.join(repository, '.cache/screenshots')
const IN_README = {
  'demo-run-that-failed-1280-light.png': 'run.png',
  'demo-failed-runs-1280-light.png': 'runs.png',
}

prepare({ browser: true, build: true })
rmSync(folder, { recursive: true, force: true })
const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/vitest.config.ts',
  'dashboard/pages',
  'dashboard/demo-pages',
]
const { status } = spawnSync(process.execPath, vitest, {
  cwd: repository,
  stdio: 'inherit',
  env: { ...process.env, SCREENSHOTS: folder },
})
const images = path.join(repository, 'docs/images')
if (status === 0) {
  mkdirSync(images, { recursive: true })
  for (const [name, shown] of Object.entries(IN_README))
    copyFileSync(path.join(folder, name), path.join(images, shown))
}
console.log(`The pictures are in ${path.relative(process.cwd(), folder)}.`)
process.exitCode = status ?? 1
