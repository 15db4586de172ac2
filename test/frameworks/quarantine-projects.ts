import path from 'node:path'
import {
  type CommandResult,
  createProject,
  type Framework,
  newestVersion,
  runCommand,
} from '../support/project'
import { REPOSITORY } from '../support/repository'
import { createNodeProject, REPORTERS } from './node-test-projects'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

/** What an execution does, by the variable MUTATION: one failure that is quarantined, and something else. */
export const MUTATIONS = [
  'new error',
  'another test',
  'load error',
  'hook before each',
  'hook after each',
  'hook before all',
  'hook after all',
  'unhandled error',
  'killed',
] as const
export type Mutation = (typeof MUTATIONS)[number]

/** Names of the tests that always fail; the first one's error is quarantined, of the second one any error. */
export const KNOWN = 'net › dials'
export const ANY = 'net › waits'
const KNOWN_ERROR = 'connect refused'

interface Dialect {
  /** The process of the framework, seen from a test. */
  victim: 'process.pid' | 'process.ppid'
  head: string
  describe: string
  hooks: { before: string; after: string }
}

const ON = (mutation: Mutation) => `process.env.MUTATION === ${JSON.stringify(mutation)}`

/** `net` has the quarantined failures; `other` passes unless it is told to fail; `broken` may not load. */
function writeFiles({ victim, head, describe, hooks }: Dialect): Record<string, string> {
  const fail = (mutation: Mutation, message: string) => `if (${ON(mutation)}) throw new Error('${message}')`
  return {
    net: `${head}
${describe}('net', () => {
  beforeEach(async () => { await null; ${fail('hook before each', 'no set-up of a test')} })
  afterEach(() => { ${fail('hook after each', 'no tear-down of a test')} })
  test('dials', () => {
    ${fail('new error', 'off by one')}
    throw new Error('${KNOWN_ERROR}')
  })
  test('waits', async () => { await null; throw new Error('waited ' + Math.random().toString(36)) })
  test('passes', () => {})
})
`,
    other: `${head}
${describe}('other', () => {
  ${hooks.before}(() => { ${fail('hook before all', 'no set-up')} })
  ${hooks.after}(() => { ${fail('hook after all', 'no tear-down')} })
  test('adds', async () => {
    ${fail('another test', KNOWN_ERROR)}
    if (${ON('unhandled error')}) { void Promise.reject(new Error('nobody waits')); await new Promise((done) => setTimeout(done, 50)) }
    if (${ON('killed')}) process.kill(${victim}, 'SIGKILL')
  })
})
`,
    broken: `${head}
${fail('load error', KNOWN_ERROR)}
test('loads', () => {})
`,
  }
}

export interface QuarantineProject {
  dir: string
  /** What runs its tests with Node. */
  command: string[]
  /** Runs the tests by `runledger run --`, with `quarantine: true` where `isAsked`. */
  run(env: Record<string, string | undefined>): Promise<CommandResult>
  remove(): Promise<void>
}

export interface QuarantineKind {
  framework: Framework | 'node:test'
  /** The file of the quarantined failures. */
  file: string
  /** Mutations that the framework has no such thing for, or tells of otherwise. */
  without: readonly Mutation[]
  create(): Promise<QuarantineProject>
}

const PACKAGED: Record<
  Framework,
  Dialect & { bin: string; args: string[]; config: [string, string]; end: string }
> = {
  jest: {
    victim: 'process.pid',
    head: '',
    describe: 'describe',
    hooks: { before: 'beforeAll', after: 'afterAll' },
    bin: 'node_modules/jest/bin/jest.js',
    args: ['--runInBand'],
    config: ['jest.config.js', "module.exports = { reporters: ['default', '@runledger/jest'] }\n"],
    end: '.test.js',
  },
  vitest: {
    victim: 'process.ppid',
    head: "import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'vitest'\n",
    describe: 'describe',
    hooks: { before: 'beforeAll', after: 'afterAll' },
    bin: 'node_modules/vitest/vitest.mjs',
    args: ['run'],
    config: [
      'vitest.config.mjs',
      "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n",
    ],
    end: '.test.mjs',
  },
  playwright: {
    victim: 'process.ppid',
    head: "const { test } = require('@playwright/test')\nconst { beforeEach, afterEach, beforeAll, afterAll } = test\n",
    describe: 'test.describe',
    hooks: { before: 'beforeAll', after: 'afterAll' },
    bin: 'node_modules/@playwright/test/cli.js',
    args: ['test'],
    config: [
      'playwright.config.js',
      "module.exports = { reporter: [['list'], ['@runledger/playwright']] }\n",
    ],
    end: '.spec.js',
  },
}

function nameFiles(files: Record<string, string>, end: string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name + end, text]))
}

async function runJudged(
  dir: string,
  command: string[],
  env: Record<string, string | undefined>,
): Promise<CommandResult> {
  return runCommand(process.execPath, [CLI, 'run', '--', process.execPath, ...command], {
    dir,
    env: { XDG_STATE_HOME: `${dir}.state`, ...env },
  })
}

function packagedKind(framework: Framework): QuarantineKind {
  const { bin, args, config, end, ...dialect } = PACKAGED[framework]
  return {
    framework,
    file: `net${end}`,
    // Jest and Playwright fail the test that runs at an unhandled error: it is another test.
    without: framework === 'vitest' ? [] : ['unhandled error'],
    create: async () => {
      const files = { ...nameFiles(writeFiles(dialect), end), [config[0]]: config[1] }
      const project = await createProject({ framework, version: newestVersion(framework), files })
      const { dir } = project
      return {
        dir,
        command: [path.join(dir, bin), ...args],
        run: (env) => runJudged(dir, [path.join(dir, bin), ...args], env),
        remove: () => project.remove(),
      }
    },
  }
}

const NODE: QuarantineKind = {
  framework: 'node:test',
  file: 'net.test.mjs',
  without: [],
  create: async () => {
    const head = "import { after, afterEach, before, beforeEach, describe, test } from 'node:test'\n"
    const hooks = { before: 'before', after: 'after' }
    const dialect: Dialect = { victim: 'process.ppid', head, describe: 'describe', hooks }
    const project = await createNodeProject(nameFiles(writeFiles(dialect), '.test.mjs'))
    const files = ['net', 'other', 'broken'].map((name) => `${name}.test.mjs`)
    const command = ['--test', ...REPORTERS, ...files]
    return {
      dir: project.dir,
      command,
      run: (env) => runJudged(project.dir, command, env),
      remove: () => project.remove(),
    }
  },
}

export const QUARANTINE_KINDS: readonly QuarantineKind[] = [
  packagedKind('jest'),
  packagedKind('vitest'),
  packagedKind('playwright'),
  NODE,
]
