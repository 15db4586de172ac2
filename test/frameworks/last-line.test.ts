import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProject, type Framework, newestVersion, runCommand } from '../support/project'
import { startService, type Service } from '../support/service'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const SUM = 'export const sum = (a, b) => (a > b ? a + b : b + a)\n'

/** A passing and a failing file each: a failure is what frameworks say most about at the end. */
const KINDS: [kind: string, framework: Framework, args: string[], files: Record<string, string>][] = [
  [
    'its counts and coverage',
    'jest',
    ['jest/bin/jest.js', '--coverage'],
    {
      'jest.config.js': "module.exports = { reporters: ['default', '@runledger/jest'] }\n",
      'sum.js': 'exports.sum = (a, b) => (a > b ? a + b : b + a)\n',
      'a.test.js': "const { sum } = require('./sum')\ntest('adds', () => expect(sum(1, 2)).toBe(3))\n",
      'b.test.js': "test('fails', () => expect(1).toBe(2))\n",
    },
  ],
  [
    'its summary and coverage',
    'vitest',
    [
      'vitest/vitest.mjs',
      'run',
      '--coverage.enabled',
      '--coverage.provider=v8',
      '--coverage.reportOnFailure',
    ],
    {
      'vitest.config.mjs': "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n",
      'sum.mjs': SUM,
      'a.test.mjs':
        "import { expect, test } from 'vitest'\nimport { sum } from './sum.mjs'\ntest('adds', () => expect(sum(1, 2)).toBe(3))\n",
      'b.test.mjs': "import { expect, test } from 'vitest'\ntest('fails', () => expect(1).toBe(2))\n",
    },
  ],
  [
    'the reporters after ours',
    'playwright',
    ['@playwright/test/cli.js', 'test'],
    {
      'playwright.config.js':
        "module.exports = { reporter: [['@runledger/playwright'], ['list'], ['html', { open: 'never' }]] }\n",
      'a.spec.js': "const { test } = require('@playwright/test')\ntest('holds', () => {})\n",
      'b.spec.js':
        "const { test, expect } = require('@playwright/test')\ntest('fails', () => expect(1).toBe(2))\n",
    },
  ],
]

test.each(KINDS)(
  'the last line is the link, below %s of %s',
  async (_, framework, [bin = '', ...args], files) => {
    const project = await createProject({ framework, version: newestVersion(framework), files })
    const command = [process.execPath, path.join(project.dir, 'node_modules', bin), ...args]
    const { stdout, exitCode } = await runCommand('/bin/sh', ['-c', 'exec "$0" "$@" 2>&1', ...command], {
      dir: project.dir,
      service,
    })
    await project.remove()
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/\nRunledger: 2 runs on record, 1 passed, 1 failed: http:\S+\n$/)
    expect(stdout.match(/Runledger:/g)).toHaveLength(1)
    if (framework !== 'playwright') expect(stdout).toMatch(/^ ?sum\.m?js\s*\|/m)
  },
)

test('the link is printed even if tests keep the process from ending', async () => {
  const files = {
    'jest.config.js': "module.exports = { reporters: ['default', '@runledger/jest'] }\n",
    'a.test.js': "test('leaves a timer', () => void setInterval(() => {}, 1_000))\n",
  }
  const project = await createProject({ framework: 'jest', version: newestVersion('jest'), files })
  const { stderr, signal } = await project.run({ args: ['-i'], service, until: /Runledger: / })
  await project.remove()
  expect(signal).toBe('SIGTERM')
  expect(stderr).toMatch(/Jest did not exit[\s\S]*\nRunledger: 1 run on record, passed: http:\S+\n$/)
})

test('the link arrives where the output is more than a pipe holds, and is read late', async () => {
  const files = {
    'jest.config.js':
      "module.exports = { reporters: ['default', '@runledger/jest'], globalTeardown: './teardown.js' }\n",
    'teardown.js': "module.exports = () => void process.stderr.write(`${'x'.repeat(200_000)}\\n`)\n",
    'a.test.js': "test('holds', () => {})\n",
  }
  const project = await createProject({ framework: 'jest', version: newestVersion('jest'), files })
  const command = [process.execPath, path.join(project.dir, 'node_modules/jest/bin/jest.js')]
  const { stdout } = await runCommand('/bin/sh', ['-c', '"$0" "$@" 2>&1 | (sleep 4; cat)', ...command], {
    dir: project.dir,
    service,
  })
  await project.remove()
  expect(stdout.slice(-200)).toMatch(/\nRunledger: 1 run on record, passed: http:\S+\n$/)
})
