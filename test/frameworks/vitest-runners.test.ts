import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onlyIf } from '../support/only-if'
import { createProject, listVersions } from '../support/project'
import { startService, type Service } from '../support/service'
import type { JsonReport } from './jest-projects'
import { createManyFiles } from './many-files'
import { CUSTOM_RUNNERS, HAND_MADE_POOL, THREAD_POOL } from './vitest-runner-projects'

const HEAD = "import { beforeAll, describe, expect, test } from 'vitest'\n"
const FILES = 12

let service: Service
beforeEach(async () => {
  service = await startService()
})
afterEach(async () => service.stop())

function createConfig(head: string, options: string): Record<string, string> {
  return {
    'vitest.config.mjs': `${head}export default { test: { ${options}
      reporters: ['default', '@runledger/vitest', ['json', { outputFile: 'report.json' }]],
    } }\n`,
  }
}

/** Runs the project; expects of each file one run with the verdict and the tests that Vitest's own JSON reporter tells. */
async function expectSameAsJson(version: string, files: Record<string, string>): Promise<JsonReport> {
  const project = await createProject({ framework: 'vitest', version, files })
  try {
    const { exitCode, stderr, stdout } = await project.run({ service })
    const report = JSON.parse(await readFile(path.join(project.dir, 'report.json'), 'utf8')) as JsonReport
    expect(exitCode, stdout + stderr).toBe(report.success ? 0 : 1)
    const expected = report.testResults.flatMap(({ name, status, assertionResults }) => {
      const ran = assertionResults.filter((each) => ['passed', 'failed'].includes(each.status))
      if (ran.length === 0 && status === 'passed') return []
      const steps = ran.map((each) => [...each.ancestorTitles, each.title].join(' › ') + ` ${each.status}`)
      return [[path.relative(project.dir, name), status, steps]]
    })
    const found = (await service.readAllRuns()).map((run) => [
      String(run.metadata['file']),
      run.outcome === 'PASS' ? 'passed' : 'failed',
      run.phases.filter(({ name }) => !OF_FILE.test(name)).map(describeStep),
    ])
    expect(found.toSorted()).toEqual(expected.toSorted())
    return report
  } finally {
    await project.remove()
  }
}

/** Steps of errors that belong to no test, which the JSON report does not list as one. */
const OF_FILE = /^(Suite failed to load|beforeAll hook)$/

const describeStep = ({ name, outcome }: { name: string; outcome: string }): string =>
  `${name.replace(/ \(\d+\)$/, '')} ${outcome === 'PASS' ? 'passed' : 'failed'}`

describe.each(listVersions('vitest'))('Vitest %s', (version) => {
  const major = Number(version.split('.', 1)[0])

  test('a custom runner: every file is a run, test by test as in the JSON report', async () => {
    const { numFailedTests, testResults } = await expectSameAsJson(version, {
      ...createConfig('', "runner: './runner.mjs',"),
      'runner.mjs': major === 3 ? CUSTOM_RUNNERS.before4 : CUSTOM_RUNNERS.since4,
      ...createManyFiles(version, { count: FILES, head: HEAD }),
    })
    expect(testResults).toHaveLength(FILES)
    const messages = testResults.flatMap(({ assertionResults }) =>
      assertionResults.flatMap(({ failureMessages }) => failureMessages ?? []),
    )
    expect(numFailedTests, 'what the runner itself has failed').toBeGreaterThan(0)
    expect(messages.join('\n')).toContain('the runner is not content')
  })

  test(
    'a custom pool of no JavaScript: every file is a run as in the JSON report',
    onlyIf(major === 3, 'Vitest 4 and later take pools in another way'),
    async () => {
      const { testResults } = await expectSameAsJson(version, {
        ...createConfig('', "pool: './pool.mjs', include: ['**/*.check'],"),
        'pool.mjs': HAND_MADE_POOL,
        'good.check': 'pass holds\npass holds too\n',
        'bad.check': 'pass holds\nfail breaks\n',
        'skipped.check': 'skip waits\n',
      })
      expect(testResults).toHaveLength(3)
    },
  )

  test(
    'a custom pool: every file is a run, test by test as in the JSON report',
    onlyIf(major > 3, 'Vitest 3 takes pools in another way'),
    async () => {
      const { testResults } = await expectSameAsJson(version, {
        ...createConfig("import pool from './pool.mjs'\n", 'pool,'),
        ...THREAD_POOL,
        ...createManyFiles(version, { count: FILES, head: HEAD }),
      })
      expect(testResults).toHaveLength(FILES)
    },
  )
})
