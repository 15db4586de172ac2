import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProject, listVersions, runCommand, type Framework } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

const PROJECTS: Record<Framework, Record<string, string>> = {
  jest: {
    'jest.config.js': "module.exports = { reporters: ['default', '@runledger/jest'] }",
    'a.test.js': "test('passes', () => {})",
    'b.test.js': "test('passes too', () => {})",
  },
  vitest: {
    'vitest.config.mjs': "export default { test: { reporters: ['default', '@runledger/vitest'] } }",
    'a.test.js': "import { test } from 'vitest'\ntest('passes', () => {})",
    'b.test.js': "import { test } from 'vitest'\ntest('passes too', () => {})",
  },
  playwright: {
    'playwright.config.js':
      "module.exports = { testMatch: '*.test.js', reporter: [['line'], ['@runledger/playwright']] }",
    'a.test.js': "const { test } = require('@playwright/test')\ntest('passes', () => {})",
    'b.test.js': "const { test } = require('@playwright/test')\ntest('passes too', () => {})",
  },
}

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

it.each(Object.keys(PROJECTS) as Framework[])(
  'keeps the runs of %s while nobody listens, and sends each once afterwards',
  async (framework) => {
    const version = listVersions(framework).at(-2) as string
    const project = await createProject({ framework, version, files: PROJECTS[framework] })
    const env = { RUNLEDGER_API_KEY: service.apiKey, RUNLEDGER_PROCEDURE_ID: service.procedureId }
    const down = await project.run({ env: { ...env, RUNLEDGER_URL: 'http://127.0.0.1:9' } })
    expect(down.exitCode, down.stderr).toBe(0)
    expect(down.stderr).toMatch(/2 of 2 runs not sent: .*; 2 runs wait in the spool: npx runledger upload/)

    const before = (await service.listRuns()).length
    const sent = await runCommand(
      process.execPath,
      [path.join(REPOSITORY, 'packages/cli/dist/bin.js'), 'upload', '--url', service.url],
      { dir: project.dir, env: { ...env, XDG_STATE_HOME: `${project.dir}.state` } },
    )
    expect(sent.exitCode, sent.stdout + sent.stderr).toBe(0)
    expect(sent.stdout).toContain('2 runs sent.')
    expect(await service.listRuns()).toHaveLength(before + 2)
    await project.remove()
  },
)
