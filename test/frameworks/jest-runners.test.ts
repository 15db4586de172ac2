import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { drawCases } from '../support/draw'
import { createProject, listVersions } from '../support/project'
import { startService, type Service } from '../support/service'
import type { JsonReport } from './jest-projects'
import { createManyFiles } from './many-files'

const [OLDEST, NEWEST] = [listVersions('jest')[0] ?? '', listVersions('jest').at(-1) ?? '']

const LINT_RULES = `module.exports = { root: true, parserOptions: { ecmaVersion: 2020 }, rules: { 'no-undef': 2, 'no-unused-vars': 1 } }\n`

const RUNNERS: [runner: string, version: string, args: string, files: Record<string, string>][] = [
  ['jest-light-runner', NEWEST, '', createManyFiles('1')],
  ['jest-jasmine2', OLDEST, "testRunner: 'jest-jasmine2',", createManyFiles('2')],
  ['jest-circus', OLDEST, "testRunner: 'jest-circus/runner',", createManyFiles('3')],
  [
    'jest-runner-eslint',
    NEWEST,
    "testMatch: ['<rootDir>/src/*.js'],",
    { '.eslintrc.js': LINT_RULES, 'src/good.js': 'let a = 1\na += 1\n', 'src/bad.js': 'nowhere()\n' },
  ],
  [
    'jest-runner-tsd',
    NEWEST,
    "testMatch: ['<rootDir>/*.test-d.ts'],",
    {
      'good.test-d.ts': "import { expectType } from 'tsd-lite'\nexpectType<number>(1)\n",
      'bad.test-d.ts': "import { expectType } from 'tsd-lite'\nexpectType<string>(1)\n",
    },
  ],
]

let service: Service
beforeEach(async () => {
  service = await startService()
})
afterEach(async () => service.stop())

test.each(drawCases('runners of Jest', RUNNERS, 2))(
  "%s: every file is a run, test by test as in Jest's JSON",
  async (runner, version, settings, files) => {
    const ownRunner = settings.startsWith('testRunner') ? '' : `runner: '${runner}',`
    const config = `module.exports = { ${ownRunner} ${settings} reporters: ['default', '@runledger/jest'] }\n`
    const project = await createProject({
      framework: 'jest',
      version,
      files: { ...files, 'jest.config.js': config },
    })
    try {
      const { stdout, stderr, exitCode } = await project.run({ service, args: ['--json'] })
      const report = JSON.parse(stdout) as JsonReport
      const runs = await service.readAllRuns()
      expect(exitCode, stderr).toBe(report.success ? 0 : 1)
      expect(report.testResults.length).toBeGreaterThanOrEqual(Math.min(Object.keys(files).length - 1, 200))
      const stored = new Map(runs.map((run) => [String(run.metadata['file']), run]))
      expect(stored.size).toBe(runs.length)
      const expected = report.testResults.flatMap(({ name, status, assertionResults }) => {
        const steps = assertionResults
          .filter((each) => ['passed', 'failed'].includes(each.status))
          .map(describeStep)
        // Jest says `focused` of a passed file with skipped tests.
        const hasFailed = status === 'failed'
        if (steps.length === 0 && !hasFailed) return []
        if (steps.length === 0) steps.push(['Suite failed to load', 'FAIL'])
        return [[path.relative(project.dir, name), hasFailed ? 'FAIL' : 'PASS', steps]]
      })
      const found = runs.map((run) => [
        String(run.metadata['file']),
        run.outcome,
        run.phases.map(({ name, outcome }) => [name.replace(/ \(\d+\)$/, ''), outcome]),
      ])
      expect(found.toSorted()).toEqual(expected.toSorted())
    } finally {
      await project.remove()
    }
  },
)

function describeStep({
  ancestorTitles,
  title,
  status,
}: JsonReport['testResults'][number]['assertionResults'][number]) {
  // The ESLint runner names no tests.
  return [[...ancestorTitles, title].join(' › ') || '(unnamed)', status === 'passed' ? 'PASS' : 'FAIL']
}
