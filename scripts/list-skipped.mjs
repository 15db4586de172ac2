// Lists the tests that the last executions skipped, by reason.
//   node scripts/list-skipped.mjs [--run]: with --run, runs the files again that lacked a program, and fails where it is still missing
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '..')
const folder = path.join(repository, '.cache/skipped')

/** @type {{ file: string, reason: string, isLacking: boolean }[]} */
const skipped = existsSync(folder)
  ? readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')))
  : []

if (process.argv.includes('--run')) runAgain()
else list()

function list() {
  console.log(skipped.length === 0 ? 'No test was skipped.' : `${skipped.length} tests were skipped:`)
  for (const reason of new Set(skipped.map((test) => test.reason))) {
    const tests = skipped.filter((test) => test.reason === reason)
    const files = [...new Set(tests.map(({ file }) => file))].sort()
    console.log(`  ${tests.length} because ${reason}: ${files.join(', ')}`)
  }
}

function runAgain() {
  const files = [...new Set(skipped.filter(({ isLacking }) => isLacking).map(({ file }) => file))]
  if (files.length === 0) return console.log('No test lacked a program.')
  const vitest = [
    path.join(repository, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'test/vitest.config.ts',
  ]
  const { status } = spawnSync(
    process.execPath,
    [...vitest, ...files.map((file) => path.join(repository, file))],
    {
      cwd: repository,
      env: { ...process.env, CI: 'true' },
      stdio: 'inherit',
    },
  )
  process.exitCode = status ?? 1
}
