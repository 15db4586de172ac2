// npm run seed-demo [-- --days N] [--port N] [--data FOLDER] [--exit]: builds, then serves a made-up year of four projects and a
// production line from a fresh folder (.cache/demo). With --exit it ends when all of it is on record; `runledger serve --data` of
// that folder then serves it.
import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { prepare } from './prepare.mjs'

const repository = path.resolve(import.meta.dirname, '..')
const text = /** @type {const} */ ({ type: 'string' })
const { values } = parseArgs({
  options: { days: text, port: text, data: text, exit: { type: 'boolean' } },
})
const data = path.resolve(values.data ?? path.join(repository, '.cache/demo'))

prepare({ build: true })
// A folder that somebody named is theirs: the command refuses one with runs.
if (values.data === undefined && existsSync(data)) rmSync(data, { recursive: true })
const args = ['--demo', '--json', '--data', data, '--port', values.port ?? '0']
if (values.days !== undefined) args.push('--days', values.days)
const cli = path.join(repository, 'packages/cli/dist/bin.js')
const child = spawn(process.execPath, [cli, 'serve', ...args], {
  cwd: repository,
  stdio: ['ignore', 'pipe', 'inherit'],
})
child.once('exit', (code) => (process.exitCode = code ?? 1))
process.once('SIGINT', () => child.kill('SIGINT'))
process.once('SIGTERM', () => child.kill('SIGTERM'))

let signInUrl = ''
for await (const line of createInterface({ input: child.stdout })) {
  const told = JSON.parse(line)
  if (told.url) {
    signInUrl = told.sign_in_url
    console.log(`service: ${told.url}, data in ${path.relative(process.cwd(), told.data) || '.'}`)
  }
  if (!told.demo) continue
  const { builds, runs, steps, files, seconds } = told.demo
  console.log(`on record: ${builds} builds, ${runs} runs, ${steps} steps, ${files} files, in ${seconds} s`)
  if (values.exit) child.kill('SIGTERM')
  else console.log(`\nHave a look: ${signInUrl}\nCtrl-C stops the service.`)
}
