import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { CredentialsSchema, RunDetailSchema, RunPageSchema } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../support/chromium'
import { listVersions, runCommand, type Framework } from '../support/project'
import { REPOSITORY } from '../support/repository'

const execute = promisify(execFile)
const PUBLISHED = ['protocol', 'core', 'jest', 'vitest', 'playwright', 'node-test', 'server', 'cli']

let folder: string
let tarballs: string[]

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-packed-'))
  const workspaces = PUBLISHED.flatMap((name) => ['-w', `packages/${name}`])
  await execute('npm', ['pack', ...workspaces, '--pack-destination', folder, '--silent'], { cwd: REPOSITORY })
  tarballs = (await readdir(folder))
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => path.join(folder, name))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const FRAMEWORKS: Record<Framework, { package: string; command: string[]; files: Record<string, string> }> = {
  jest: {
    package: 'jest',
    command: ['node_modules/jest/bin/jest.js'],
    files: {
      'sum.test.js':
        "const { measure } = require('@runledger/jest')\ntest('adds', () => { measure('sum', 1 + 1) })\n",
    },
  },
  vitest: {
    package: 'vitest',
    command: ['node_modules/vitest/vitest.mjs', 'run'],
    files: {
      'sum.test.js':
        "import { measure } from '@runledger/vitest'\nimport { test } from 'vitest'\ntest('adds', () => { measure('sum', 1 + 1) })\n",
    },
  },
  playwright: {
    package: '@playwright/test',
    command: ['node_modules/@playwright/test/cli.js', 'test'],
    files: {
      'sum.spec.ts':
        "import { test } from '@playwright/test'\nimport { measure } from '@runledger/playwright'\ntest('adds', () => { measure('sum', 1 + 1) })\n",
    },
  },
}

const CONFIGS: Record<Framework, { esm: [string, string]; cjs: [string, string] }> = {
  jest: {
    esm: ['jest.config.mjs', "export default { reporters: ['default', '@runledger/jest'] }\n"],
    cjs: ['jest.config.cjs', "module.exports = { reporters: ['default', '@runledger/jest'] }\n"],
  },
  vitest: {
    esm: ['vitest.config.mjs', "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n"],
    cjs: [
      'vitest.config.cjs',
      "module.exports = { test: { reporters: ['default', '@runledger/vitest'] } }\n",
    ],
  },
  playwright: {
    esm: ['playwright.config.mjs', "export default { reporter: [['list'], ['@runledger/playwright']] }\n"],
    cjs: ['playwright.config.cjs', "module.exports = { reporter: [['list'], ['@runledger/playwright']] }\n"],
  },
}

async function installProject(framework: Framework): Promise<string> {
  const dir = path.join(folder, `project-${framework}`)
  await mkdir(dir)
  await writeFile(
    path.join(dir, 'package.json'),
    '{"name": "empty-project", "version": "1.0.0", "private": true}\n',
  )
  for (const [name, content] of Object.entries(FRAMEWORKS[framework].files))
    await writeFile(path.join(dir, name), content)
  const version = newestFor(framework)
  // Install scripts off: npm 12 and pnpm do not run them, so nothing may need one.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  await execute('npm', ['install', ...flags, ...tarballs, `${FRAMEWORKS[framework].package}@${version}`], {
    cwd: dir,
  })
  return dir
}

/** The newest version that runs on this Node. */
function newestFor(framework: Framework): string {
  const versions = listVersions(framework)
  return framework === 'vitest'
    ? (versions.findLast((version) => version.startsWith('4.')) as string)
    : (versions.at(-1) as string)
}

async function startInstalledService(dir: string): Promise<ChildProcess> {
  const bin = path.join(dir, 'node_modules/.bin/runledger')
  const child = spawn(bin, ['serve', '--json', '--port', '0'], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const _ of createInterface({ input: child.stdout })) return child
  throw new Error('the installed service did not start')
}

/** What an installed service answers to a path. */
async function get(dir: string, pathname: string): Promise<unknown> {
  const file = await readFile(path.join(dir, '.runledger/credentials.json'), 'utf8')
  const { url, api_key: key } = CredentialsSchema.parse(JSON.parse(file))
  const response = await fetch(url + pathname, { headers: { authorization: `Bearer ${key}` } })
  return response.json()
}

async function listRuns(dir: string) {
  return RunPageSchema.parse(await get(dir, '/v2/runs?include_metadata=true')).data
}

const DEFAULT_EXPORT = (name: string) => ({
  esm: `import Reporter, * as all from '${name}'; console.log(typeof Reporter, typeof all.default)`,
  cjs: `const all = require('${name}'); console.log(typeof all.default, all.__esModule)`,
})

describe.each(Object.keys(FRAMEWORKS) as Framework[])(
  'the packed packages in an empty project with %s',
  (framework) => {
    let dir: string
    let service: ChildProcess

    beforeAll(async () => {
      dir = await installProject(framework)
      service = await startInstalledService(dir)
    })

    afterAll(async () => {
      const ended = new Promise((resolve) => service.once('exit', resolve))
      service.kill('SIGTERM')
      await ended
    })

    it('export the reporter class by package name, in ESM and CJS', async () => {
      const { esm, cjs } = DEFAULT_EXPORT(`@runledger/${framework}`)
      const node = (script: string, type: string) =>
        runCommand(process.execPath, [`--input-type=${type}`, '-e', script], { dir })
      expect((await node(esm, 'module')).stdout.trim()).toBe('function function')
      expect((await node(cjs, 'commonjs')).stdout.trim()).toBe('function true')
    })

    it.each(['esm', 'cjs'] as const)(
      'put a suite on record from an %s config, without options or variables',
      async (kind) => {
        const [name, content] = CONFIGS[framework][kind]
        await writeFile(path.join(dir, name), content)
        const before = (await listRuns(dir)).length
        const [script, ...rest] = FRAMEWORKS[framework].command
        const args = [path.join(dir, script as string), ...rest, '--config', name]
        const result = await runCommand(process.execPath, args, {
          dir,
          env: { CHROMIUM_PATH: findChromium() },
        })
        expect(result.exitCode, result.stdout + result.stderr).toBe(0)
        expect(result.stderr).toMatch(/^Runledger: 1 run on record, passed: http/m)
        const runs = await listRuns(dir)
        expect(runs.length - before).toBe(1)
        expect(runs[0]).toMatchObject({ outcome: 'PASS', metadata: { framework, tests_passed: '1' } })
        const { phases } = RunDetailSchema.parse(await get(dir, `/v2/runs/${runs[0]?.id}`))
        expect(phases.map((step) => step.name)).toEqual(['adds', 'adds › sum'])
      },
    )
  },
)
