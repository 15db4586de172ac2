import { createServer, resolveServerConfig, type RunningServer } from '@runledger/server'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { main } from '../main'
import type { CommandContext } from '../command-context'

let server: RunningServer
let home: string
let credentials: { api_key: string; procedure_id: string }
let folder: string

beforeAll(async () => {
  home = await realpath(await mkdtemp(path.join(tmpdir(), 'runledger-init-')))
  const data = path.join(home, 'service')
  server = await createServer(resolveServerConfig({ data, port: 0, projectDir: home }, {})).start()
  credentials = JSON.parse(await readFile(path.join(data, 'credentials.json'), 'utf8')) as typeof credentials
})

afterAll(async () => {
  await server.close()
  await rm(home, { recursive: true, force: true })
})

beforeEach(async () => {
  folder = await mkdtemp(path.join(home, 'project-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function write(files: Record<string, string | object>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(
      file,
      typeof content === 'string' ? content : `${JSON.stringify(content, undefined, 2)}\n`,
    )
  }
}

async function init(args: string[] = [], over: Partial<CommandContext> = {}) {
  const written = { out: '', err: '' }
  const output = {
    out: (text: string) => void (written.out += `${text}\n`),
    err: (text: string) => void (written.err += `${text}\n`),
  }
  const context = { cwd: folder, ...over, env: { ...over.env } }
  const code = await main(['init', '--no-install', ...args], output, context)
  return { code, ...written }
}

const read = (name: string) => readFile(path.join(folder, name), 'utf8')

async function readAll(): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name))
  const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')))
  return Object.fromEntries(files.map((file, index) => [path.relative(folder, file), texts[index] ?? '']))
}

/** The files that init would change in a project, and what it would call. */
async function plan(): Promise<{ files: string[]; commands: string[] }> {
  const { out, code } = await init(['--dry-run', '--json'])
  expect(code).toBe(0)
  const { configs, packages } = JSON.parse(out) as {
    configs: { file: string; status: string }[]
    packages: { folder: string; command: string }[]
  }
  return {
    files: configs.filter(({ status }) => status === 'changed').map(({ file }) => file),
    commands: packages.map((each) => `${each.folder}: ${each.command}`),
  }
}

const VITEST = { devDependencies: { vitest: '4' } }
const service = () => ({ RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: credentials.api_key })

describe('which configs and commands', () => {
  it('every framework that package.json names, with one call of the package manager', async () => {
    await write({ 'package.json': { devDependencies: { vitest: '4', jest: '30', '@playwright/test': '1' } } })
    expect(await plan()).toEqual({
      files: ['jest.config.js', 'vitest.config.mjs', 'playwright.config.mjs'],
      commands: ['.: npm install --save-dev @runledger/jest @runledger/vitest @runledger/playwright'],
    })
  })

  it("Node's own test runner by the scripts that run it, in the package of each", async () => {
    await write({
      'package.json': { workspaces: ['a', 'b'], scripts: { test: 'npm test --workspaces' } },
      'a/package.json': { scripts: { test: 'node --test' } },
      'b/package.json': { scripts: { watch: 'node --test --watch' }, devDependencies: { jest: '30' } },
    })
    expect(await plan()).toEqual({
      files: ['b/jest.config.js', 'a/package.json'],
      commands: [
        'b: npm install --save-dev @runledger/jest',
        'a: npm install --save-dev @runledger/node-test',
      ],
    })
  })

  it('two frameworks in one package.json are both written, and go back together', async () => {
    await write({ 'package.json': { jest: {}, scripts: { unit: 'node --test', test: 'jest' } } })
    const before = await readAll()
    expect((await init(['--yes'])).out).toContain('+    "unit": "node --test --test-reporter=spec ')
    expect(JSON.parse(await read('package.json'))).toMatchObject({
      jest: { reporters: ['default', '@runledger/jest'] },
      scripts: { unit: expect.stringContaining('--test-reporter=@runledger/node-test') as unknown },
    })
    await init(['--undo', '--yes'])
    expect(await readAll()).toEqual(before)
  })

  it.each([
    ['package-lock.json', '{}', '.: npm install --save-dev @runledger/vitest'],
    ['pnpm-lock.yaml', '', '.: pnpm add -D @runledger/vitest'],
    ['yarn.lock', '', '.: yarn add -D @runledger/vitest'],
  ])('the package manager of %s', async (lockfile, text, command) => {
    await write({ 'package.json': VITEST, [lockfile]: text })
    expect((await plan()).commands).toEqual([command])
  })

  it('the package manager that package.json names', async () => {
    await write({ 'package.json': { ...VITEST, packageManager: 'pnpm@10.1.0' } })
    expect((await plan()).commands).toEqual(['.: pnpm add -D @runledger/vitest'])
  })

  it('a reporter that is installed already is not installed again', async () => {
    await write({ 'package.json': { devDependencies: { vitest: '4', '@runledger/vitest': '1' } } })
    expect((await plan()).commands).toEqual([])
  })

  it('each package of a workspace that has a framework, and not the root that only installs it', async () => {
    await write({
      'package.json': {
        ...VITEST,
        workspaces: ['packages/*', '!packages/none'],
        scripts: { test: 'turbo test' },
      },
      'packages/a/package.json': { scripts: { test: 'vitest run' } },
      'packages/b/package.json': { devDependencies: { jest: '30' } },
      'packages/b/jest.config.ts': 'export default {}\n',
      'packages/c/package.json': {},
      'packages/c/vitest.config.ts': 'export default {}\n',
      'packages/d/package.json': {},
      'packages/none/package.json': VITEST,
      'packages/a/node_modules/x/package.json': VITEST,
    })
    expect(await plan()).toEqual({
      files: ['packages/b/jest.config.ts', 'packages/a/vitest.config.mjs', 'packages/c/vitest.config.ts'],
      commands: [
        'packages/b: npm install --save-dev @runledger/jest',
        '.: npm install --save-dev @runledger/vitest',
      ],
    })
  })

  it('the root alone where it runs its packages as projects; pnpm is reported that the root is meant', async () => {
    await write({
      'package.json': VITEST,
      'pnpm-workspace.yaml': 'packages:\n  - apps/**\n',
      'vitest.config.ts': "export default { test: { projects: ['apps/*'] } }\n",
      'apps/deep/a/package.json': VITEST,
      'apps/deep/a/vitest.config.ts': 'export default {}\n',
    })
    expect(await plan()).toEqual({
      files: ['vitest.config.ts'],
      commands: ['.: pnpm add -D -w @runledger/vitest'],
    })
  })
})

describe('a refused project stays unchanged', () => {
  it.each<[what: string, files: Record<string, string | object>, message: RegExp]>([
    [
      'no framework',
      { 'package.json': { devDependencies: { mocha: '11' } } },
      /no test framework was found in/,
    ],
    [
      'a package.json that is not JSON',
      { 'package.json': '{' },
      /package\.json cannot be read or is not JSON/,
    ],
    [
      'a workspace that is no YAML',
      { 'package.json': VITEST, 'pnpm-workspace.yaml': 'a: [' },
      /pnpm-workspace\.yaml cannot be read/,
    ],
    [
      'no terminal to confirm on',
      { 'package.json': VITEST },
      /there is no terminal to confirm on, so add --yes/,
    ],
  ])('%s', async (_what, files, message) => {
    await write(files)
    const before = await readAll()
    expect(await init()).toMatchObject({ code: 1, err: expect.stringMatching(message) as unknown })
    expect(await readAll()).toEqual(before)
  })

  it('a user who says no, JSON without a decision, and an option that makes no sense', async () => {
    await write({ 'package.json': VITEST })
    const questions: string[] = []
    const confirm = async (question: string) => questions.push(question) < 0
    expect(await init([], { confirm })).toMatchObject({ code: 1, err: 'runledger: nothing was changed\n' })
    expect(questions).toEqual(['Do this?'])
    expect(await init(['--json'])).toMatchObject({ code: 2 })
    expect(await init(['--yes', '--url', 'ftp:x'])).toMatchObject({ code: 2 })
    expect(Object.keys(await readAll())).toEqual(['package.json'])
  })

  it('a config whose value is only known when it runs: prints the line to add, and changes the others', async () => {
    const code = 'module.exports = makeConfig()\n'
    await write({ 'package.json': { devDependencies: { vitest: '4', jest: '30' } }, 'jest.config.js': code })
    const { out } = await init(['--yes', '--procedure', 'FVT1'])
    expect(out).toContain(
      'jest.config.js makes its config by code that would have to be run. It stays as it is: add this by hand',
    )
    expect(out).toContain("  reporters: ['default', ['@runledger/jest', { procedureId: 'FVT1' }]]")
    expect(out).not.toContain('Run your tests as usual')
    expect(await read('jest.config.js')).toBe(code)
    expect(await read('vitest.config.mjs')).toContain('@runledger/vitest')
  })

  it('text from a config cannot control the terminal', async () => {
    await write({
      'package.json': { devDependencies: { jest: '30' } },
      'jest.config.js': 'module.exports = {\n a: "\u001B[2J\u009B31m"\n}\n',
    })
    const { out } = await init(['--dry-run'])
    expect(out).toContain('+ reporters: ["default", "@runledger/jest"]')
    expect(out).not.toMatch(/(?!\n)\p{Cc}/u)
  })
})

async function createStationKey(station: { name: string; procedure_id?: string }): Promise<string> {
  const post = async (operation: string, body: object) => {
    const response = await fetch(`${server.url}/v2/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { id: string; key: string }
  }
  const { id } = await post('stations', station)
  return (await post('keys', { kind: 'station', name: station.name, station_id: id })).key
}

describe('the service', () => {
  it("writes the package's procedure as an option, and its key to a private file that git ignores", async () => {
    await write({ 'package.json': VITEST })
    const done = await init(['--yes'], { env: service() })
    expect(done).toMatchObject({ code: 0, err: '' })
    expect(done.out).not.toContain(credentials.api_key)
    const id = path.basename(folder)
    expect(done.out).toContain(`Create the procedure ${id} on ${server.url}`)
    expect(done.out).toContain(
      `The service has other procedures too: ${credentials.procedure_id}. --procedure chooses one.`,
    )
    expect(await read('vitest.config.mjs')).toContain(`['@runledger/vitest', { procedureId: '${id}' }]`)
    expect(JSON.parse(await read('.runledger/credentials.json'))).toEqual({
      url: server.url,
      api_key: credentials.api_key,
      procedure_id: id,
    })
    expect((await stat(path.join(folder, '.runledger/credentials.json'))).mode & 0o777).toBe(0o600)
    expect(await read('.runledger/.gitignore')).toBe('*\n')
    expect(await read('.runledger/init.json')).not.toContain(credentials.api_key)
  })

  it('local credentials are left as they are, and need no option', async () => {
    const text = JSON.stringify({ url: server.url, ...credentials })
    await write({ 'package.json': VITEST, '.runledger/credentials.json': text })
    expect(await init(['--yes'])).toMatchObject({ code: 0, err: '' })
    expect(await read('vitest.config.mjs')).toContain("reporters: ['default', '@runledger/vitest']")
    expect(await read('.runledger/credentials.json')).toBe(text)
  })

  it("Node's test runner takes no option: the procedure is in the credentials, or said to be set", async () => {
    await write({ 'package.json': { scripts: { test: 'node --test' } }, '.gitlab-ci.yml': '' })
    const id = path.basename(folder)
    const said = `set RUNLEDGER_PROCEDURE_ID=${id} where the tests run`
    const inCi = await init(['--dry-run'], { env: { ...service(), CI: 'true' } })
    expect(inCi.out).toContain(said)
    expect(inCi.out).toContain(`variables:\n  RUNLEDGER_URL: `)
    expect(inCi.out).toContain(`  RUNLEDGER_PROCEDURE_ID: '${id}'`)
    const done = await init(['--yes'], { env: service() })
    expect(done.out).not.toContain(said)
    const { api_key } = credentials
    expect(JSON.parse(await read('.runledger/credentials.json'))).toMatchObject({ api_key, procedure_id: id })
    expect((await init(['--yes'])).out).toContain('node:test: package.json has the reporter already')
    expect((await init(['--dry-run', '--procedure', 'Other'])).out).toContain('RUNLEDGER_PROCEDURE_ID=Other')
  })

  it('a named procedure is created once if it does not exist', async () => {
    await write({ 'package.json': VITEST })
    const args = ['--yes', '--procedure', 'Lamp test']
    expect(await init(['--dry-run', ...args.slice(1)], { env: service() })).toMatchObject({
      out: expect.stringContaining('Create the procedure Lamp test') as unknown,
    })
    expect(await init(args, { env: service() })).toMatchObject({ code: 0 })
    const again = await init(args, { env: service() })
    expect(again.out).toContain('Nothing is to be changed.')
    // The config names it.
    expect((await init(['--dry-run'], { env: service() })).out).not.toContain('Create the procedure')
  })

  it('a key that may not create procedures: nothing is changed', async () => {
    await write({ 'package.json': VITEST })
    const key = await createStationKey({ name: 'Bench' })
    const env = { ...service(), RUNLEDGER_API_KEY: key }
    expect(await init(['--yes', '--procedure', 'Other'], { env })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/answered 403/) as unknown,
    })
    expect(Object.keys(await readAll())).toEqual(['package.json'])

    const unlinked = await init(['--dry-run'], { env })
    expect(unlinked.out).toContain('The station Bench is linked to no procedure: link one with a user key.')
  })

  it('writes the only procedure of a station as an option, if a station key is used', async () => {
    await write({ 'package.json': VITEST })
    const key = await createStationKey({ name: 'Own', procedure_id: credentials.procedure_id })
    const { out } = await init(['--dry-run'], { env: { ...service(), RUNLEDGER_API_KEY: key } })
    expect(out).toContain(`{ procedureId: '${credentials.procedure_id}' }`)
    expect(out).not.toContain('Create the procedure')
  })

  it('reports a service that does not answer, and still changes the configs', async () => {
    await write({ 'package.json': VITEST })
    const env = { RUNLEDGER_URL: 'http://127.0.0.1:9', RUNLEDGER_API_KEY: 'key' }
    const { code, out } = await init(['--yes'], { env })
    expect(code).toBe(0)
    expect(out).toMatch(/The service could not be asked: .*ECONNREFUSED/)
    expect(await read('vitest.config.mjs')).toContain('@runledger/vitest')
  })
})

it.each([
  ['commonjs', 'vitest.config.mts'],
  ['module', 'vitest.config.ts'],
])('makes a config that Vite loads as a module in a package of type %s', async (type, file) => {
  await write({ 'package.json': { ...VITEST, type }, 'tsconfig.json': '{}' })
  expect((await init(['--yes'])).code).toBe(0)
  expect(await read(file)).toContain('@runledger/vitest')
})

describe('--undo', () => {
  it('puts everything back, and leaves what was put into .runledger since', async () => {
    await write({ 'package.json': VITEST, 'vitest.config.ts': 'export default {\r\n}\r\n' })
    const before = await readAll()
    await init(['--yes'], { env: service() })
    await init(['--yes', '--procedure', 'Lamp test'], { env: service() })
    expect(await init(['--undo', '--dry-run'])).toMatchObject({
      out: expect.stringContaining('Put back vitest.config.ts') as unknown,
    })
    await write({ '.runledger/runledger.db': 'data' })
    expect(await init(['--undo', '--json', '--yes'])).toMatchObject({ code: 0 })
    expect(await readAll()).toEqual({
      ...before,
      '.runledger/.gitignore': '*\n',
      '.runledger/runledger.db': 'data',
    })
  })

  it('says which packages the package manager could not uninstall', async () => {
    await write({ 'package.json': { name: 'lamps', packageManager: 'yarn@9.9.9' } })
    const installs = [{ dir: 'gone', packages: ['@runledger/jest'] }]
    const record = { version: 1, files: [], installs, made_folder: false }
    await write({ '.runledger/init.json': record, '.runledger/.gitignore': '*' })
    const output = { out: () => undefined, err: (text: string) => void (written += text) }
    let written = ''
    expect(await main(['init', '--undo', '--yes'], output, { cwd: folder, env: {} })).toBe(1)
    expect(written).toMatch(/every file is as it was before, but `.*@runledger\/jest` failed in .*gone: /)
  })

  it('refuses where a file was edited since, names it and changes nothing', async () => {
    await write({ 'package.json': VITEST })
    await init(['--yes'])
    await write({ 'vitest.config.mjs': `${await read('vitest.config.mjs')}// mine\n` })
    const before = await readAll()
    expect(await init(['--undo'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('edited since init changed it: vitest.config.mjs.') as unknown,
    })
    expect(await readAll()).toEqual(before)
  })

  it('says that there is nothing to undo, or that its record is damaged', async () => {
    await write({ 'package.json': VITEST })
    expect(await init(['--undo'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is nothing to undo') as unknown,
    })
    await write({ '.runledger/init.json': '{"version": 2}' })
    expect(await init(['--undo'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('init.json cannot be read') as unknown,
    })
  })
})

it('prints what each CI needs, with the key as its secret', async () => {
  await write({
    'repository/.git/HEAD': '',
    'repository/.github/workflows/test.yml': '',
    'repository/.gitlab-ci.yml': '',
    'repository/azure-pipelines.yml': '',
    'repository/Jenkinsfile': '',
    'repository/.buildkite/pipeline.yml': '',
    'repository/app/package.json': VITEST,
  })
  const cwd = path.join(folder, 'repository/app')
  const env = {
    RUNLEDGER_URL: 'http://service.test:9',
    RUNLEDGER_API_KEY: 'rl_secret',
    RUNLEDGER_PROCEDURE_ID: 'FVT1',
  }
  const { out } = await init(['--dry-run'], { cwd, env: { ...env, HTTP_PROXY: 'http://127.0.0.1:9' } })
  for (const part of [
    '../.github/workflows is here',
    "['default', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : []), '@runledger/vitest']",
    "env:\n  RUNLEDGER_URL: 'http://service.test:9'\n  RUNLEDGER_PROCEDURE_ID: 'FVT1'\n  RUNLEDGER_API_KEY: ${{ secrets.RUNLEDGER_API_KEY }}",
    '../.gitlab-ci.yml is here',
    '  RUNLEDGER_API_KEY: $(RUNLEDGER_API_KEY)',
    "  RUNLEDGER_API_KEY = credentials('runledger-api-key')",
    'secrets:\n  - RUNLEDGER_API_KEY',
  ])
    expect(out).toContain(part)
  expect(out).not.toContain('rl_secret')
})
