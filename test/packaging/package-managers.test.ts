import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drawCases } from '../support/draw'
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

/** The same lines in configs of both module formats, which are named on the command line. */
const CONFIGS: Record<Framework, Record<'mjs' | 'cjs', string>> = {
  jest: {
    mjs: "export default { reporters: ['default', '@runledger/jest'], roots: ['<rootDir>/jest'] }\n",
    cjs: "module.exports = { reporters: ['default', '@runledger/jest'], roots: ['<rootDir>/jest'] }\n",
  },
  vitest: {
    mjs: "export default { test: { reporters: ['default', '@runledger/vitest'], dir: 'vitest' } }\n",
    cjs: "module.exports = { test: { reporters: ['default', '@runledger/vitest'], dir: 'vitest' } }\n",
  },
  playwright: {
    mjs: "export default { reporter: [['list'], ['@runledger/playwright']], testDir: 'playwright' }\n",
    cjs: "module.exports = { reporter: [['list'], ['@runledger/playwright']], testDir: 'playwright' }\n",
  },
}

const EXPORTS = {
  module: (name: string) =>
    `import Reporter, * as all from '${name}'; console.log(typeof Reporter, typeof all.default)`,
  commonjs: (name: string) =>
    `const all = require('${name}'); console.log(typeof all.default, all.__esModule)`,
}

const [NPM = '', ...OTHERS] = Object.keys(MANAGERS)
const TESTED = [NPM, ...drawCases('package managers', OTHERS, 1)]

describe.each(TESTED)('the published packages, installed by %s', (manager) => {
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

  async function expectOnRecord(framework: Framework, options: string[] = []): Promise<void> {
    const before = (await service.listRuns()).length
    const [command, ...args] = [...call, ...COMMANDS[framework], ...options] as [string, ...string[]]
    const result = await runCommand(command, args, { dir })
    expect(result.exitCode, result.stdout + result.stderr).toBe(0)
    expect(result.stderr).toMatch(/^Runledger: 1 run on record, passed: http.*[^l]$/m)
    const [latest, ...others] = await service.listRuns('&include_metadata=true')
    expect(others).toHaveLength(before)
    expect(latest).toMatchObject({ outcome: 'PASS', metadata: { framework, tests_passed: '1' } })
    const run = await service.readRun(latest?.id as string)
    expect(run.phases.map(({ name }) => name)).toEqual(['adds', 'adds › sum'])
    expect((await service.download(run, 'adds/note.txt')).toString()).toBe('text'.repeat(100_000))
  }

  const frameworks = Object.keys(COMMANDS) as Framework[]
  it.each(frameworks)('put a run of %s on record, with its bytes', (framework) => expectOnRecord(framework))

  // One installation has them all.
  describe.each(manager === 'npm' ? frameworks : [])('%s', (framework) => {
    it('has its reporter class by the name of the package, in both module formats', async () => {
      const print = (format: keyof typeof EXPORTS) => {
        const script = EXPORTS[format](`@runledger/${framework}`)
        return runCommand(process.execPath, [`--input-type=${format}`, '-e', script], { dir })
      }
      expect((await print('module')).stdout.trim()).toBe('function function')
      expect((await print('commonjs')).stdout.trim()).toBe('function true')
    })

    it.each(['mjs', 'cjs'] as const)('puts a run on record from a config.%s', async (extension) => {
      const name = `other-${framework}.config.${extension}`
      await writeFile(path.join(dir, name), CONFIGS[framework][extension])
      await expectOnRecord(framework, ['--config', name])
    })
  })

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
