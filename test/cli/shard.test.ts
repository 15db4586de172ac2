import { execFileSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandResult, createProject, findNode, type Framework } from '../support/project'
import { type Service, startService } from '../support/service'
import { runledger } from './run-failed-projects'

let service: Service
let builds = 0

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

const BINS: Record<Framework, string[]> = {
  jest: ['node_modules/jest/bin/jest.js'],
  vitest: ['node_modules/vitest/vitest.mjs', 'run'],
  playwright: ['node_modules/@playwright/test/cli.js', 'test'],
}

interface Given {
  framework: Framework
  version: string
  files: Record<string, string>
}

interface Sharded {
  dir: string
  build: string
  shard(which: string, ...options: string[]): Promise<CommandResult>
}

/** Removes the project at the end. */
async function withProject(given: Given, use: (project: Sharded) => Promise<void>): Promise<void> {
  const { framework, version } = given
  const project = await createProject(given)
  const { dir } = project
  const build = `build-${(builds += 1)}`
  const shard = (which: string, ...options: string[]) =>
    runledger({
      dir,
      service,
      given: ['shard', which, '--', findNode(framework, version), ...BINS[framework], ...options],
      env: { RUNLEDGER_GROUP: build },
    })
  try {
    await use({ dir, build, shard })
  } finally {
    await project.remove()
  }
}

function commitAll(dir: string, message: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir })
  git('add', '--all', '--', ':!node_modules')
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-qm', message, '--allow-empty')
}

async function countReported(build: string): Promise<unknown> {
  const response = await service.get(`/v2/builds/${build}`)
  return ((await response.json()) as { shards: unknown }).shards
}

const TESTS: Record<Framework, Record<string, string>> = {
  jest: { 'a.test.js': "test('a', () => {})\n", 'jest.config.js': 'module.exports = {}\n' },
  vitest: { 'a.test.mjs': "import { test } from 'vitest'\ntest('a', () => {})\n" },
  playwright: {
    'tests/a.test.js': "require('@playwright/test').test('a', () => {})\n",
    'playwright.config.js': "module.exports = { testDir: 'tests' }\n",
  },
}

describe('runledger shard without test files', () => {
  it.each<[Framework, string, string[]]>([
    ['vitest', '3.2.7', ['--changed=HEAD~1', '--watch=false']],
    ['vitest', '4.1.12', ['--changed=HEAD~1']],
    ['vitest', '5.1.1', ['--changed=HEAD~1']],
    ['vitest', '4.1.12', ['--dir=other', '--passWithNoTests']],
    ['jest', '30.5.2', ['--changedSince=HEAD~1', '--watchAll=false']],
    ['playwright', '1.65.1', ['--only-changed=HEAD~1']],
    ['playwright', '1.65.1', ['-g', 'nothing', '--pass-with-no-tests']],
  ])('ends with 0 where %s %s does, and reports the shard: %j', async (framework, version, options) => {
    await withProject({ framework, version, files: TESTS[framework] }, async ({ dir, build, shard }) => {
      execFileSync('git', ['init', '-q'], { cwd: dir })
      commitAll(dir, 'Add a test')
      commitAll(dir, 'Change no test')
      const { exitCode, stdout, stderr } = await shard('1/2', ...options)
      expect(exitCode, stdout + stderr).toBe(0)
      expect(await countReported(build)).toMatchObject({ reported: 1, expected: 2 })
    })
  })

  const DIVIDED: Given = {
    framework: 'vitest',
    version: '4.1.12',
    files: {
      'vitest.config.mjs': 'export default { test: { passWithNoTests: true } }\n',
      ...Object.fromEntries(
        ['a', 'b', 'c', 'd'].map((name) => [`${name}.test.mjs`, TESTS.vitest['a.test.mjs'] ?? '']),
      ),
    },
  }

  async function hide(dir: string): Promise<void> {
    for (const name of ['a', 'b', 'c', 'd']) await rm(path.join(dir, `${name}.test.mjs`))
  }

  it('fails if another shard found files that the plan gives it', async () => {
    await withProject(DIVIDED, async ({ dir, shard }) => {
      const first = await shard('1/2')
      expect(first.stderr).toContain('Shard 1 of 2: 2 of 4 files')
      expect(first.exitCode, first.stderr).toBe(0)
      await hide(dir)
      const second = await shard('2/2')
      expect(second.stderr).toMatch(/b\.test\.mjs.*d\.test\.mjs/)
      expect(second.exitCode).toBe(1)
    })
  })

  it('leaves all files to the other shard if it asked first', async () => {
    await withProject(DIVIDED, async ({ dir, shard }) => {
      await hide(dir)
      expect((await shard('2/2')).exitCode).toBe(0)
      for (const [name, text] of Object.entries(DIVIDED.files)) await writeFile(path.join(dir, name), text)
      const { stderr, exitCode } = await shard('1/2')
      expect(stderr).toContain('Shard 1 of 2: 4 of 4 files')
      expect(exitCode, stderr).toBe(0)
    })
  })

  it('fails where the framework does', async () => {
    const given: Given = { framework: 'vitest', version: '4.1.12', files: TESTS.vitest }
    await withProject(given, async ({ shard }) => {
      const { exitCode, stderr } = await shard('1/2', '--dir=other')
      expect(stderr).toContain('vitest finds no test files in ')
      expect(exitCode).toBe(1)
    })
  })
})

it.each([
  ['29.7.0', ['--outputFile', 'results.json']],
  ['30.5.2', ['--outputFile', 'results.json']],
  ['30.5.2', ['--outputFile=results.json']],
  ['30.5.2', ['--output-file=results.json']],
])('runledger shard finds the files of Jest %s in its output, with %j', async (version, options) => {
  const files = {
    'jest.config.js': `console.log('[dotenv@17.2.3] injecting env (0) from .env')
      process.once('exit', () => console.log('Done in 0.61s.\\n[]'))
      module.exports = {}\n`,
    'a.test.js': TESTS.jest['a.test.js'] ?? '',
    'b.test.js': TESTS.jest['a.test.js'] ?? '',
  }
  await withProject({ framework: 'jest', version, files }, async ({ dir, shard }) => {
    const { exitCode, stdout, stderr } = await shard('1/2', '--json', ...options)
    expect(stderr, stdout).toContain('Shard 1 of 2: 1 of 2 files')
    expect(exitCode, stderr).toBe(0)
    const results = JSON.parse(await readFile(path.join(dir, 'results.json'), 'utf8')) as object
    expect(results).toMatchObject({ numPassedTests: 1 })
  })
})

describe('runledger shard with set-up and teardown projects of Playwright', () => {
  const writeTest = (name: string) => `require('@playwright/test').test('${name}', () => {
    require('node:fs').appendFileSync(process.env.XDG_STATE_HOME + '/ran.txt', '${name} ') })\n`
  const given: Given = {
    framework: 'playwright',
    version: '1.65.1',
    files: {
      'playwright.config.js': `module.exports = { workers: 1, projects: [
        { name: 'setup', testMatch: 'up.js', teardown: 'down' },
        { name: 'down', testMatch: 'down.js' },
        { name: 'web', testMatch: /[ab].js/, dependencies: ['setup'] } ] }\n`,
      ...Object.fromEntries(['a', 'b', 'up', 'down'].map((name) => [`tests/${name}.js`, writeTest(name)])),
    },
  }

  async function listRan(total: number, ...options: string[]): Promise<string[]> {
    const ran: string[] = []
    await withProject(given, async ({ dir, shard }) => {
      const log = `${dir}.state/ran.txt`
      let before = ''
      for (let index = 1; index <= total; index += 1) {
        const { exitCode, stdout, stderr } = await shard(`${index}/${total}`, ...options)
        expect(exitCode, stdout + stderr).toBe(0)
        const all = await readFile(log, 'utf8')
        ran.push(all.slice(before.length).trim())
        before = all
      }
    })
    return ran
  }

  it('divides only the files of other projects', async () => {
    expect(await listRan(4)).toEqual(['up a down', 'up b down', '', ''])
  })

  it('divides the files of all projects with --no-deps', async () => {
    const ran = await listRan(2, '--no-deps')
    expect(ran.flatMap((files) => files.split(' ')).toSorted()).toEqual(['a', 'b', 'down', 'up'])
  })
})
