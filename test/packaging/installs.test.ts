import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { listNodes } from '../support/nodes'
import { type CommandResult, type Framework, newestVersion, runCommand } from '../support/project'
import { type Registry, startRegistry } from '../support/registry.mjs'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'

const TOOLS = path.join(REPOSITORY, '.cache/package-managers/tools/node_modules')
const PNPM = `@pnpm/exe.${process.platform}-${process.arch}`
/** From the call of init to the link. */
const MOST_SECONDS = 60

type Language = 'TypeScript, ES modules' | 'TypeScript, CommonJS' | 'JavaScript'
const LANGUAGES: readonly Language[] = ['TypeScript, ES modules', 'TypeScript, CommonJS', 'JavaScript']

interface Manager {
  add: string[]
  /** Runs what is installed. */
  run: string[]
  /** Runs a package that is not installed. */
  fetchAndRun: string[]
  /** What its users have beside package.json. */
  files: Record<string, string>
}

const MANAGERS: Record<string, Manager> = {
  npm: {
    add: ['npm', 'install', '--save-dev', '--loglevel=error'],
    run: ['npx', '--no', '--'],
    fetchAndRun: ['npx', '--yes'],
    files: {},
  },
  pnpm: {
    add: ['pnpm', 'add', '-D'],
    run: ['pnpm', 'exec'],
    fetchAndRun: ['pnpm', 'dlx'],
    // It ends with 1 for an install script that is neither allowed nor refused.
    files: { 'pnpm-workspace.yaml': 'allowBuilds:\n  "@parcel/watcher": false\n  unrs-resolver: false\n' },
  },
  yarn: {
    add: ['yarn', 'add', '-D'],
    run: ['yarn', 'run'],
    fetchAndRun: ['yarn', 'dlx'],
    // Keeps it from looking for a project above.
    files: { 'yarn.lock': '', '.yarnrc.yml': 'enableTelemetry: false\n' },
  },
}

interface Kind {
  packages: (language: Language) => string[]
  command: string[]
  config: Partial<Record<Language, [name: string, text: string]>>
  /** By the extension of the language. */
  test: (extension: string) => [name: string, text: string]
}

const isTyped = (language: Language): boolean => language !== 'JavaScript'
const DEFINE = (from: string, object: string) =>
  `import { defineConfig } from '${from}'\n\nexport default defineConfig(${object})\n`

const KINDS: Record<Framework, Kind> = {
  jest: {
    // ts-jest wants `jest-util` beside it.
    packages: (language) =>
      isTyped(language) ? ['jest', 'typescript@5.9', 'ts-jest', 'jest-util', '@types/jest'] : ['jest'],
    command: ['jest'],
    config: {
      'TypeScript, ES modules': [
        'jest.config.ts',
        "import type { Config } from 'jest'\n\nconst config: Config = {\n  preset: 'ts-jest',\n}\n\nexport default config\n",
      ],
      'TypeScript, CommonJS': [
        'jest.config.cts',
        "import type { Config } from 'jest'\n\nconst config: Config = { preset: 'ts-jest' }\nmodule.exports = config\n",
      ],
    },
    test: (extension) => [`sum.test.${extension}`, "test('adds', () => expect(1 + 1).toBe(2))\n"],
  },
  vitest: {
    packages: () => ['vitest'],
    command: ['vitest', 'run'],
    config: {
      'TypeScript, ES modules': ['vitest.config.ts', DEFINE('vitest/config', '{ test: { globals: true } }')],
      'TypeScript, CommonJS': ['vitest.config.mts', DEFINE('vitest/config', '{ test: { globals: true } }')],
    },
    test: (extension) => [
      `sum.test.${extension}`,
      "import { expect, test } from 'vitest'\n\ntest('adds', () => expect(1 + 1).toBe(2))\n",
    ],
  },
  playwright: {
    packages: () => ['@playwright/test'],
    command: ['playwright', 'test'],
    config: {
      'TypeScript, ES modules': ['playwright.config.ts', DEFINE('@playwright/test', "{ testDir: '.' }")],
      'TypeScript, CommonJS': ['playwright.config.ts', DEFINE('@playwright/test', "{ testDir: '.' }")],
      JavaScript: ['playwright.config.js', "module.exports = {\n  reporter: 'line',\n}\n"],
    },
    test: (extension) => [
      `sum.spec.${extension}`,
      "import { expect, test } from '@playwright/test'\n\ntest('adds', () => expect(1 + 1).toBe(2))\n",
    ],
  },
}

interface Case {
  framework: Framework
  language: Language
  manager: string
}

const EVERY_CASE: Case[] = (Object.keys(KINDS) as Framework[]).flatMap((framework) =>
  LANGUAGES.flatMap((language) => Object.keys(MANAGERS).map((manager) => ({ framework, language, manager }))),
)
/** With packages that the install step has brought. */
const ONE_CASE: Case = { framework: 'vitest', language: 'TypeScript, ES modules', manager: 'pnpm' }
const isWhole = process.env['SOAK_INSTALLS'] === 'all'

let home: string
let registry: Registry
let service: Service

beforeAll(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'runledger-home-'))
  return () => rm(home, { recursive: true, force: true })
})

beforeAll(async () => {
  registry = await startRegistry({ isOffline: !isWhole })
  return () => registry.stop()
})

beforeAll(async () => {
  service = await startService()
  return () => service.stop()
})

describe('from nothing to a link: init --yes, then the command of the framework; --undo leaves no byte changed', () => {
  it.each(isWhole ? EVERY_CASE : [ONE_CASE])('$framework, $language, $manager', async (each) => {
    const project = await createEmptyProject(each)
    try {
      const { run, fetchAndRun } = MANAGERS[each.manager] as Manager
      const before = await readFiles(project.dir)

      const start = performance.now()
      await project.succeed([...fetchAndRun, 'runledger', 'init', '--yes'], {
        RUNLEDGER_URL: service.url,
        RUNLEDGER_API_KEY: service.apiKey,
      })
      const tested = await project.succeed([...run, ...KINDS[each.framework].command])
      const seconds = (performance.now() - start) / 1_000
      const [, link = ''] =
        /Runledger: 1 run on record, passed: (\S+)/.exec(tested.stdout + tested.stderr) ?? []
      expect(link).toContain(`${service.url}/runs/`)
      const opened = await service.readRun(link.split('/').at(-1) ?? '')
      expect(opened).toMatchObject({ outcome: 'PASS', metadata: { framework: each.framework } })
      expect(opened.phases.map(({ name }) => name)).toEqual(['adds'])
      if (isWhole) expect(seconds).toBeLessThan(MOST_SECONDS)
      console.log(
        `${each.framework}, ${each.language}, ${each.manager}: ${seconds.toFixed(1)} s from init to the link`,
      )

      for (const made of ['test-results', 'playwright-report'])
        await rm(path.join(project.dir, made), { recursive: true, force: true })
      await project.succeed([...fetchAndRun, 'runledger', 'init', '--undo', '--yes'])
      expect(await readFiles(project.dir)).toEqual(before)
    } finally {
      await rm(project.dir, { recursive: true, force: true })
    }
  })
})

/** The framework installed as its users do it, one config if they have one, one test. */
async function createEmptyProject({ framework, language, manager }: Case) {
  const dir = await realpath(await mkdtemp(path.join(os.tmpdir(), 'runledger-empty-')))
  const { packages, config, test } = KINDS[framework]
  const { add, files } = MANAGERS[manager] as Manager
  const [version, ...others] = [newestVersion(framework), ...packages(language).slice(1)]
  const names = [`${packages(language)[0]}@${version}`, ...others]
  const manifest = {
    name: 'lamp',
    version: '1.0.0',
    private: true,
    ...(language === 'TypeScript, ES modules' && { type: 'module' }),
  }
  const given = {
    ...files,
    'package.json': `${JSON.stringify(manifest, undefined, 2)}\n`,
    ...(isTyped(language) && { 'tsconfig.json': '{ "compilerOptions": { "skipLibCheck": true } }\n' }),
    ...Object.fromEntries([config[language] ?? [], test(isTyped(language) ? 'ts' : 'js')].filter(isPair)),
  }
  await mkdir(dir, { recursive: true })
  for (const [name, text] of Object.entries(given)) await writeFile(path.join(dir, name), text)
  const env = createEnvironment(framework === 'jest' && isTyped(language))
  const succeed = async (command: string[], more = {}): Promise<CommandResult> => {
    const [name, ...args] = command as [string, ...string[]]
    const result = await runCommand(name, args, { dir, env: { ...env, ...more } })
    expect(result.exitCode, `${command.join(' ')}\n${result.stdout}${result.stderr}`).toBe(0)
    return result
  }
  await succeed([...add, ...names])
  return { dir, succeed }
}

function isPair(value: string[]): value is [string, string] {
  return value.length === 2
}

/** The package managers by their names, caches of their own, and a Node that reads TypeScript where a config needs one. */
function createEnvironment(needsTypes: boolean): Record<string, string> {
  const newest = listNodes().find(({ major }) => major >= 24)?.binary
  const folders = [
    ...(needsTypes && newest ? [path.dirname(newest)] : []),
    path.join(TOOLS, '.bin'),
    path.join(TOOLS, PNPM),
  ]
  return {
    ...registry.env,
    PATH: [...folders, process.env['PATH']].join(path.delimiter),
    HOME: home,
    XDG_STATE_HOME: path.join(home, 'state'),
    npm_config_cache: path.join(home, 'npm'),
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  }
}

/** Every file by its bytes; what package managers install aside. */
async function readFiles(dir: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const file = path.relative(dir, path.join(entry.parentPath, entry.name))
    if (/^(?:node_modules|\.yarn)(?:\/|$)/.test(file)) continue
    found[file] = entry.isFile() ? (await readFile(path.join(dir, file))).toString('base64') : ''
  }
  return found
}
