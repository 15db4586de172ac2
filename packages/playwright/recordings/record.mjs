// Records the projects beside this file, or those named as arguments, with the oldest and the newest Playwright in
// .cache/frameworks (`npm test` installs them).
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const here = import.meta.dirname
const frameworks = path.join(here, '../../../.cache/frameworks')

const named = process.argv.slice(2)
const projects = named.length > 0 ? named : readdirSync(path.join(here, 'projects'))

for (const version of ['1.40.1', '1.65.1']) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-recording-'))
  cpSync(path.join(here, 'projects'), path.join(folder, 'projects'), { recursive: true })
  cpSync(path.join(here, 'recorder.cjs'), path.join(folder, 'recorder.cjs'))
  const modules = path.join(frameworks, `playwright-${version}`, 'node_modules')
  symlinkSync(modules, path.join(folder, 'node_modules'), 'dir')
  for (const project of projects) {
    spawnSync(process.execPath, [path.join(modules, '@playwright/test/cli.js'), 'test'], {
      cwd: path.join(folder, 'projects', project),
      env: { ...process.env, RECORDING_FILE: path.join(here, `${project}-${version}.json`) },
      stdio: 'inherit',
    })
  }
  rmSync(folder, { recursive: true })
}

spawnSync('npx', ['prettier', '--write', `${here}/*.json`], { stdio: 'inherit' })
