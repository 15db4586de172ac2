// Mutates the mapping of each package, or of the one in MUTATION_PACKAGE, prints score and survivors, and fails below
// the least score.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { PACKAGES } from './packages.mjs'

/** The least score of each package, in per cent. */
const LEAST_SCORE = 95

const repository = path.resolve(import.meta.dirname, '../..')
const chosen = process.env.MUTATION_PACKAGE
if (chosen !== undefined && !(chosen in PACKAGES)) {
  console.error(`--package is one of ${Object.keys(PACKAGES).join(', ')}`)
  process.exit(2)
}
for (const name of chosen === undefined ? Object.keys(PACKAGES) : [chosen]) {
  const report = testsPass(name) ? runStryker(name) : undefined
  if (report === undefined || !tell(name, report)) process.exitCode = 1
}

/** A test file that does not load would only lower the score: Stryker goes on without it. */
function testsPass(name) {
  const command = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/mutation/vitest.config.mjs']
  return run(command, name).status === 0
}

/** Stryker's report; undefined when it made none, which it has explained itself. */
function runStryker(name) {
  const file = path.join(repository, `.cache/mutation/${name}.json`)
  rmSync(file, { force: true })
  const command = [
    'node_modules/@stryker-mutator/core/bin/stryker.js',
    'run',
    'test/mutation/stryker.config.mjs',
  ]
  return run(command, name).status === 0 ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function run(command, name) {
  const env = { ...process.env, MUTATION_PACKAGE: name }
  return spawnSync(process.execPath, command, { cwd: repository, stdio: 'inherit', env })
}

/** Prints a package's score and survivors; true when the score is high enough. */
function tell(name, { files }) {
  const mutants = Object.entries(files).flatMap(([file, { source, mutants: all }]) =>
    all.map((mutant) => ({ ...mutant, file: path.basename(file), lines: source.split('\n') })),
  )
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length
  const killed = count('Killed', 'Timeout')
  const survivors = mutants.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status))
  const score = (100 * killed) / (killed + survivors.length)
  const ignored = count('Ignored')
  for (const survivor of survivors) console.log(`  ${describe(survivor)}`)
  console.log(
    `${name}: ${score.toFixed(1)} % (${killed} of ${killed + survivors.length} mutants killed, ${ignored} ignored)`,
  )
  return score >= LEAST_SCORE
}

function describe({ file, lines, location: { start, end }, replacement, mutatorName }) {
  const line = lines[start.line - 1] ?? ''
  const original = line.slice(start.column - 1, start.line === end.line ? end.column - 1 : undefined)
  const shorten = (text) => text.replaceAll(/\s+/g, ' ').slice(0, 80)
  return `${file}:${start.line} ${mutatorName}: ${shorten(original)} → ${shorten(replacement ?? '')}`
}
