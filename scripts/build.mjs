// Builds every package in the order of their imports; packages that do not import each other side by side.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

const STAGES = [['protocol'], ['core', 'dashboard'], ['server', 'jest'], ['vitest', 'playwright'], ['cli']]

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

const startedAtMs = Date.now()
try {
  for (const stage of STAGES) await Promise.all(stage.map(buildPackage))
  console.log(`built ${STAGES.flat().length} packages in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s`)
} catch (error) {
  console.error(`build failed: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
