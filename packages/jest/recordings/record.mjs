// node packages/jest/recordings/record.mjs [project...]: records the projects beside this file, or those named, with
// the Jest versions in .cache/frameworks (`npm test` installs them).
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const here = import.meta.dirname
const repository = path.join(here, '../../..')
const { jest: versions } = JSON.parse(
  readFileSync(path.join(repository, 'test/support/framework-versions.json'), 'utf8'),
)

const named = process.argv.slice(2)
const projects = named.length > 0 ? named : readdirSync(path.join(here, 'projects'))

for (const version of Object.keys(versions)) {
  const modules = path.join(repository, '.cache/frameworks', `jest-${version}`, 'node_modules')
  for (const project of projects) {
    const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'runledger-recording-')))
    cpSync(path.join(here, 'projects', project), folder, { recursive: true })
    cpSync(path.join(here, 'recorder.cjs'), path.join(folder, 'recorder.cjs'))
    symlinkSync(modules, path.join(folder, 'node_modules'), 'dir')
    const recording = path.join(here, `${project}-${version}.json`)
    spawnSync(
      process.execPath,
      [path.join(modules, 'jest/bin/jest.js'), `--reporters=${path.join(folder, 'recorder.cjs')}`],
      {
        cwd: folder,
        env: { ...process.env, CI: undefined, RECORDING: recording },
        stdio: 'inherit',
        timeout: 120_000,
      },
    )
    rmSync(folder, { recursive: true, force: true })
  }
}

spawnSync('npx', ['prettier', '--write', `${here}/*.json`], { stdio: 'inherit' })
