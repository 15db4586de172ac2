import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { listTestFiles } from '../../scripts/test-sets/sets.mjs'
import { REPOSITORY } from '../support/repository'

/** The parts of each command, by its name. */
function listParts(): Record<string, string[]> {
  const script = path.join(REPOSITORY, 'scripts/test.mjs')
  const lines = String(execFileSync(process.execPath, [script, '--list']))
    .trim()
    .split('\n')
  return Object.fromEntries(
    lines.map((line) => line.split(': ')).map(([name, parts]) => [name, parts?.split(', ')]),
  )
}

it('.ci/run runs all of npm test and of npm run test:all', async () => {
  const script = await readFile(path.join(REPOSITORY, '.ci/run'), 'utf8')
  const [, parts] = /^for part in (.*); do$/m.exec(script) ?? []
  expect(script).toContain('env -u CI npm test')
  expect(parts?.split(' ')).toEqual(listParts()['npm run test:all'])
})

it('every test file belongs to one part of npm test or npm run test:all', () => {
  const parts = Object.values(listParts()).flat()
  const files = listTestFiles()
  expect(files.filter(({ set }) => !parts.includes(set ?? ''))).toEqual([])
  expect(new Set(files.map(({ file }) => file)).size).toBe(files.length)
  expect(files.length).toBeGreaterThan(350)
})

it.each([
  ['packages/presentation/src/markdown.test.ts', 'quick'],
  ['packages/server/src/upkeep/sweep-runs.test.ts', 'service'],
  ['packages/core/src/environment/repository.test.ts', 'service'],
  ['test/dashboard/pages.test.ts', 'pages'],
  ['test/serve/demo.test.ts', 'demo'],
  ['test/conformance/jest.test.ts', 'newest'],
  ['test/conformance/older-versions.test.ts', 'matrix'],
])('%s is in the set %s', (file, set) => {
  expect(listTestFiles().find((one) => one.file === file)?.set).toBe(set)
})
