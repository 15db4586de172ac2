// npm test: the tests that every change needs. npm run test:all [-- PART …]: the rest of them, or these parts of either. Parts run one
// after the other, each with its time at the end; the first that fails ends it. --list prints their names.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { prepare } from './prepare.mjs'
import { listSet } from './test-sets/sets.mjs'

const repository = path.resolve(import.meta.dirname, '..')
const node = (...args) => [process.execPath, args]
const npm = (...args) => ['npm', ['run', '--silent', ...args]]
const built = { build: true }
const all = { browser: true, frameworks: true, build: true }

/** What a part needs, and its commands; without commands it runs the test files of its set. */
const DAILY = {
  check: { commands: [npm('check')] },
  quick: { needs: {} },
  service: { needs: built },
  pages: { needs: { ...built, browser: true, 'newest-frameworks': true } },
  newest: { needs: { ...built, browser: true, 'newest-frameworks': true } },
}
const REST = {
  matrix: { needs: all },
  commands: { needs: all },
  guides: { needs: all },
  packaging: { needs: { ...all, 'package-managers': true } },
  demo: { needs: all, after: [npm('demo', '--', '--exit')] },
  postgres: {
    needs: all,
    after: [
      npm(
        'test:postgres',
        '--',
        '--s3',
        'attachments/',
        'database/database',
        'interface/concurrency',
        'interface/v2-run',
      ),
    ],
  },
  soak: { needs: built },
  attack: { needs: built, after: [npm('attack', '--', '--small')] },
}
const PARTS = { ...DAILY, ...REST }

const words = process.argv.slice(2)
if (words.includes('--list')) list()
else if (words[0] === 'daily') runParts(Object.keys(DAILY))
else runParts(words.length > 0 ? words : Object.keys(REST))

function list() {
  console.log(`npm test: ${Object.keys(DAILY).join(', ')}`)
  console.log(`npm run test:all: ${Object.keys(REST).join(', ')}`)
}

/** @param {string[]} names */
function runParts(names) {
  const unknown = names.find((name) => !(name in PARTS))
  if (unknown !== undefined)
    return fail(`No part of the tests is called "${unknown}": ${Object.keys(PARTS).join(', ')}.`)
  rmSync(path.join(repository, '.cache/skipped'), { recursive: true, force: true })
  const times = []
  for (const name of names) {
    const startedAtMs = Date.now()
    console.log(`\n== ${name} ==`)
    const status = runPart(name)
    times.push(`${name} ${formatTime(Date.now() - startedAtMs)}`)
    if (status !== 0) return fail(`\n== ${times.join(', ')}: ${name} failed ==`, status)
    console.log(`== ${times.at(-1)} ==`)
  }
  console.log(`\n== ${times.join(', ')} ==`)
  run(...node('scripts/list-skipped.mjs'))
}

/** The exit code of the first command that fails. */
function runPart(name) {
  const { needs = {}, commands, after = [] } = PARTS[name]
  prepare(needs)
  for (const command of [...(commands ?? listVitest(name)), ...after]) {
    const status = run(...command)
    if (status !== 0) return status
  }
  return 0
}

/** One command for the files beside the code, one for those in test/. */
function listVitest(set) {
  const configs = { packages: 'vitest.config.ts', test: 'test/vitest.config.ts' }
  return Object.entries(configs)
    .filter(([folder]) => listSet(set, folder).length > 0)
    .map(([, config]) => {
      const [program, args] = node('node_modules/vitest/vitest.mjs', 'run', '--config', config)
      return [program, args, { RUNLEDGER_TEST_SET: set }]
    })
}

function run(program, args, variables = {}) {
  const env = { ...process.env, ...variables }
  const { status, error } = spawnSync(program, args, { cwd: repository, stdio: 'inherit', env })
  if (error) throw error
  return status ?? 1
}

function fail(message, status = 2) {
  console.error(message)
  process.exitCode = status
}

function formatTime(ms) {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
