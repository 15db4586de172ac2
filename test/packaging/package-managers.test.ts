import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Framework, runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'

const INSTALLS = path.join(REPOSITORY, '.cache/package-managers')
const TOOLS = path.join(INSTALLS, 'tools/node_modules')
const PNPM = path.join(TOOLS, `@pnpm/exe.${process.platform}-${process.arch}/pnpm`)
const YARN = path.join(TOOLS, '.bin/yarn')

/** What each calls an installed command by; the names are those of install-package-managers.mjs. */
const MANAGERS: Record<string, [command: string, ...args: string[]]> = {
  npm: ['npx', '--no', '--'],
  pnpm: [PNPM, 'exec'],
  'yarn-node-modules': [YARN, 'run'],
  'yarn-pnp': [YARN, 'run'],
}

/** More bytes than one read of a request brings. */
const TEST = `test('adds', () => {
  measure('sum', 1 + 1)
  attach('note.txt', { body: 'text'.repeat(100_000), contentType: 'text/plain' })
})\n`

const COMMANDS: Record<Framework, string[]> = {
  jest: ['jest'],
  vitest: ['vitest', 'run'],
  playwright: ['playwright', 'test'],
}

/** The lines of the README, in a folder for each framework's tests. */
const FILES = {
  // Without one, Playwright takes the paths of the repository's.
  'tsconfig.json': '{}\n',
  'jest.config.js':
    "module.exports = { reporters: ['default', '@runledger/jest'], roots: ['<rootDir>/jest'] }\n",
  'vitest.config.ts': `import { defineConfig } from 'vitest/config'
export default defineConfig({ test: { reporters: ['default', '@runledger/vitest'], dir: 'vitest' } })\n`,
  'playwright.config.ts': `import { defineConfig } from '@playwright/test'
export default defineConfig({ reporter: [['list'], ['@runledger/playwright']], testDir: 'playwright' })\n`,
  'jest/sum.test.js': `const { attach, measure } = require('@runledger/jest')\n${TEST}`,
  'vitest/sum.test.ts': `import { attach, measure } from '@runledger/vitest'
import { test } from 'vitest'\n${TEST}`,
  'playwright/sum.spec.ts': `import { attach, measure } from '@runledger/playwright'
import { test } from '@playwright/test'\n${TEST}`,
}

describe.each(Object.keys(MANAGERS))('the packed packages, installed by %s', (manager) => {
  const dir = path.join(INSTALLS, manager)
  const call = MANAGERS[manager] as [string, ...string[]]
  let service: Service

  beforeAll(async () => {
    await rm(path.join(dir, '.runledger'), { recursive: true, force: true })
    for (const [name, text] of Object.entries(FILES)) {
      await mkdir(path.dirname(path.join(dir, name)), { recursive: true })
      await writeFile(path.join(dir, name), text)
    }
    service = await startService({ folder: dir, command: [...call, 'runledger'] })
  })

  afterAll(() => service.stop())

  it.each(Object.keys(COMMANDS) as Framework[])(
    'put a run of %s on record, with its bytes',
    async (framework) => {
      const [command, ...args] = [...call, ...COMMANDS[framework]] as [string, ...string[]]
      const result = await runCommand(command, args, { dir })
      expect(result.exitCode, result.stdout + result.stderr).toBe(0)
      expect(result.stderr).toMatch(/^Runledger: 1 run on record, passed: http.*[^l]$/m)
      const [latest] = await service.listRuns('&include_metadata=true')
      expect(latest).toMatchObject({ outcome: 'PASS', metadata: { framework, tests_passed: '1' } })
      const run = await service.readRun(latest?.id as string)
      expect(run.phases.map(({ name }) => name)).toEqual(['adds', 'adds › sum'])
      expect((await service.download(run, 'adds/note.txt')).toString()).toBe('text'.repeat(100_000))
    },
  )

  it('serve the dashboard', async () => {
    const response = await service.get('/')
    const [script] = /\/assets\/[^"]+\.js/.exec(await response.text()) ?? ['no script']
    const { status, headers } = await service.get(script)
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')])
  })

  it('stop the service on SIGTERM', async () => {
    await service.stop()
    const isUp = () => service.get('/').then(Boolean, () => false)
    await expect.poll(isUp).toBe(false)
  })
})
