import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drawCases } from '../support/draw'
import { createProject, type Framework, newestVersion, type Project } from '../support/project'
import { answerJson, startScriptedServer, type ScriptedServer } from '../support/scripted-server'

const CONFIGS: Record<Framework, Record<string, string>> = {
  jest: {
    'jest.config.js': "module.exports = { reporters: ['default', '@runledger/jest'] }\n",
    'a.test.js': "test('holds', () => {})\n",
  },
  vitest: {
    'vitest.config.mjs': "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n",
    'a.test.mjs': "import { test } from 'vitest'\ntest('holds', () => {})\n",
  },
  playwright: {
    'playwright.config.js': "module.exports = { reporter: [['list'], ['@runledger/playwright']] }\n",
    'a.spec.js': "const { test } = require('@playwright/test')\ntest('holds', () => {})\n",
  },
}

interface Trouble {
  /** Added to variables with which everything would be sent. */
  env?: Record<string, string | undefined>
  files?: Record<string, string>
  /** How the service answers; nothing listens where it is left out. */
  answer?: (response: ServerResponse) => void
}

const refuse = (statusCode: number) => (response: ServerResponse) =>
  answerJson(response, statusCode, { message: 'no', status_code: statusCode })

const TROUBLES: Record<string, Trouble> = {
  'no key': { env: { RUNLEDGER_API_KEY: undefined } },
  'a bad option': { env: { RUNLEDGER_DEADLINE_MS: 'soon' } },
  'broken credentials': {
    env: { RUNLEDGER_URL: undefined, RUNLEDGER_API_KEY: undefined },
    files: { '.runledger/credentials.json': '{"url":' },
  },
  'a service that is not there': {},
  'a key that is refused': { answer: refuse(401) },
  'a path that is not there': { answer: refuse(404) },
  'a service that hangs': { answer: () => undefined, env: { RUNLEDGER_DEADLINE_MS: '1500' } },
  'a spool that cannot be written, and a service that is not there': {
    env: { RUNLEDGER_SPOOL_DIR: 'full/spool' },
    files: { full: 'a file, not a folder' },
  },
}

describe.each(Object.keys(CONFIGS) as Framework[])('%s', (framework) => {
  let server: ScriptedServer
  let answer: Trouble['answer']
  beforeAll(async () => {
    server = await startScriptedServer((_, response) => answer?.(response))
  })
  afterAll(() => server.stop())

  async function run(
    trouble: Trouble,
    failing: Record<string, string>,
  ): Promise<Awaited<ReturnType<Project['run']>>> {
    const files = { ...CONFIGS[framework], ...trouble.files }
    const project = await createProject({ framework, version: newestVersion(framework), files })
    answer = trouble.answer
    const env = {
      RUNLEDGER_URL: answer ? server.url : 'http://127.0.0.1:9',
      RUNLEDGER_API_KEY: 'rl_key_of_this_test',
      RUNLEDGER_PROCEDURE_ID: 'FVT1',
      ...trouble.env,
      ...failing,
    }
    try {
      return await project.run({ env })
    } finally {
      await project.remove()
    }
  }

  test.each(drawCases(`troubles of ${framework}`, Object.entries(TROUBLES), 2))(
    '%s fails the execution when asked to, and only then',
    async (_, trouble) => {
      const asked = await run(trouble, { RUNLEDGER_FAIL_ON_UPLOAD_ERROR: 'true' })
      expect(asked.exitCode, asked.stderr).toBe(1)
      expect(asked.stderr).toMatch(/^Runledger: /m)
      const unasked = await run(trouble, {})
      expect(unasked.exitCode, unasked.stderr).toBe(0)
    },
  )
})
