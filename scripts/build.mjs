// Builds every package in the order of their imports; packages that do not import each other side by side.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { forgetBuild, noteBuild } from './build-stamp.mjs'
import { prepare } from './prepare.mjs'

const repository = path.resolve(import.meta.dirname, '..')

const STAGES = [
  ['protocol'],
  ['core', 'dashboard'],
  ['server', 'jest'],
  ['vitest', 'playwright', 'node-test'],
  ['cli'],
]

/** @param {string} name */
function buildPackage(name) {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', 'build'], { cwd: path.join(repository, 'packages', name) })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve(undefined) : reject(new Error(`${name}\n${output}`))))
  })
}

prepare()
forgetBuild()
const startedAt = new Date()
try {
  for (const stage of STAGES) await Promise.all(stage.map(buildPackage))
  noteBuild(startedAt)
  const seconds = (Date.now() - startedAt.getTime()) / 1000
  console.log(`built ${STAGES.flat().length} packages in ${seconds.toFixed(1)} s`)
} catch (error) {
  console.error(`build failed: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
