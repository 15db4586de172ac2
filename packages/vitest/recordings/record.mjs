// node packages/vitest/recordings/record.mjs [name]: records the executions below, or one of them, with every Vitest
// version of the tests.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))
const repository = path.resolve(here, '../../..')
const { vitest: versions } = JSON.parse(
  readFileSync(path.join(repository, 'test/support/framework-versions.json'), 'utf8'),
)

const MAIN = ['kinds', 'hooks.test', 'retries', 'load', 'unhandled', 'all-skipped', 'types.test-d']
const MORE = [
  'repeats',
  'tries',
  'recorded',
  'errors',
  'hooks-of-file',
  'hooks-after',
  'empty-',
  'no-module',
  'collects-wrongly',
  'late',
]
const ALONE = '--no-file-parallelism'
const EXECUTIONS = {
  main: [...MAIN, '--typecheck', ALONE],
  bail: ['cut', 'never-started', '--bail=1', ALONE],
  aborted: ['slow', 'soon-fails', '--bail=1', '--maxWorkers=2'],
  killed: ['killed', 'never-started', ALONE],
  none: ['no-such-file', ALONE],
  more: [...MORE, 'types-broken', '--typecheck', '--typecheck.tsconfig=tsconfig.all.json', ALONE],
  ci: ['only', 'obsolete', 'load', ALONE],
  ignored: ['late', '--dangerouslyIgnoreUnhandledErrors', ALONE],
  projects: ['--config=projects.config.ts', ALONE],
  unprepared: ['all-skipped', '--config=unprepared.config.ts', ALONE],
  condemned: ['never-started', '--config=condemned.config.ts', ALONE],
}

for (const [version, { node }] of Object.entries(versions)) {
  for (const [name, args] of Object.entries(EXECUTIONS)) {
    if ([undefined, name].includes(process.argv[2])) record({ name, args, version, node })
  }
}

spawnSync('npx', ['prettier', '--write', `${here}/*.json`], { stdio: 'inherit' })

function record({ name, args, version, node }) {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'runledger-recording-')))
  const project = path.join(folder, 'project')
  cpSync(path.join(here, 'project'), project, { recursive: true })
  cpSync(path.join(here, 'recorder.mjs'), path.join(project, 'recorder.mjs'))
  const modules = path.join(repository, '.cache/frameworks', `vitest-${version}`, 'node_modules')
  mkdirSync(path.join(project, 'node_modules'))
  symlinkSync(path.join(modules, 'vitest'), path.join(project, 'node_modules/vitest'), 'dir')
  const typescript = path.join(repository, 'node_modules/typescript')
  symlinkSync(typescript, path.join(project, 'node_modules/typescript'), 'dir')
  const target = path.join(here, `${name}-${version}.json`)
  rmSync(target, { force: true })
  const bin = path.join(modules, 'vitest/vitest.mjs')
  spawnSync(
    findNode(node),
    [bin, 'run', '--reporter=./recorder.mjs', '--typecheck.include=*.test-d.ts', ...args],
    {
      cwd: project,
      env: cleanEnvironment(target, name === 'ci' ? '1' : undefined),
      stdio: 'inherit',
      timeout: 60_000,
    },
  )
  console.log(
    existsSync(target) ? `recorded ${target}` : `${name}: Vitest ${version} did not reach its last hook`,
  )
  rmSync(folder, { recursive: true, force: true })
}

function findNode(major) {
  if (major === undefined) return process.execPath
  const platform = `node-${process.platform}-${process.arch}`
  return path.join(repository, '.cache/node', major, 'node_modules', platform, 'bin/node')
}

function cleanEnvironment(target, CI) {
  const PATH = `${path.join(repository, 'node_modules/.bin')}${path.delimiter}${process.env.PATH}`
  return { ...process.env, PATH, CI, RECORDING: target }
}
