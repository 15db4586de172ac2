import path from 'node:path'
import {
  type CommandResult,
  createProject,
  findNode,
  type Framework,
  listVersions,
  newestVersion,
  runCommand,
} from '../support/project'
import { listNodes, type NodeRelease } from '../support/nodes'
import { REPOSITORY } from '../support/repository'
import { createNodeProject, REPORTERS } from './node-test-projects'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

/** What an execution does, by the variable MUTATION: one failure that is quarantined, and something else. */
const MUTATIONS = [
  'new error',
  'another test',
  'equal names',
  'load error',
  'hook before each',
  'hook after each',
  'hook time-out',
  'hook of an earlier attempt',
  'clean-up of a hook',
  'set-up of a fixture',
  'tear-down of a fixture',
  'hook before all',
  'hook after all',
  'unhandled error',
  'file cut short',
  'another judge',
  'killed',
] as const
export type Mutation = (typeof MUTATIONS)[number]

/** Names of the tests that always fail; the first one's error is quarantined, of the second one any error. */
export const KNOWN = 'net › dials'
export const ANY = 'slow › waits'
const KNOWN_ERROR = 'connect refused'

/** Mutations in which only a hook or fixture of the test with any error fails, and the frameworks that have them. */
const OF_HOOKS: Partial<Record<Mutation, readonly QuarantineKind['framework'][]>> = {
  'hook before each': ['jest', 'vitest', 'playwright', 'node:test'],
  'hook after each': ['jest', 'vitest', 'playwright', 'node:test'],
  'hook time-out': ['jest', 'vitest'],
  'hook of an earlier attempt': ['jest', 'vitest', 'playwright'],
  'clean-up of a hook': ['vitest'],
  'set-up of a fixture': ['vitest', 'playwright'],
  'tear-down of a fixture': ['vitest', 'playwright'],
}
/** Further mutations, which not every framework has. */
const OF_SOME: typeof OF_HOOKS = {
  'equal names': ['jest', 'vitest', 'node:test'],
  'file cut short': ['node:test'],
  'another judge': ['jest'],
}

function listMutations(framework: QuarantineKind['framework'], isNewest: boolean): Mutation[] {
  const having = isNewest ? { ...OF_SOME, ...OF_HOOKS } : OF_HOOKS
  return MUTATIONS.filter((each) => having[each]?.includes(framework) ?? isNewest)
}

/** A pattern of the line that reports the decision; undefined if the framework is killed before it prints one. */
export function reasonOf(mutation: Mutation, framework: QuarantineKind['framework']): RegExp | undefined {
  if (mutation in OF_HOOKS) return /"slow › waits" failed in a hook or its file/
  return REASONS[mutation]?.[framework] ?? REASONS[mutation]?.all
}

const REASONS: Partial<Record<Mutation, Partial<Record<QuarantineKind['framework'] | 'all', RegExp>>>> = {
  'new error': { all: /"net › dials" failed with an error that is not quarantined/ },
  'another test': { all: /"other › adds" is not quarantined/ },
  'equal names': { all: /"net › dials \(2\)" is not quarantined/ },
  'load error': {
    all: /"Suite failed to load" failed, which is no test/,
    'node:test': /"broken.test.mjs" is not quarantined/,
  },
  'hook before all': {
    all: /"other › adds" failed in a hook or its file/,
    vitest: /"other › adds" did not run/,
    'node:test': /"other › adds" did not run/,
  },
  'hook after all': {
    all: /"afterAll hook" failed, which is no test/,
    playwright: /"other › adds" failed in a hook or its file/,
    'node:test': /"other" failed, which is no test/,
  },
  'unhandled error': { all: /"other › adds" is not quarantined/, vitest: /there were unhandled/ },
  'file cut short': { all: /"exits" never ended/ },
  'another judge': { all: /the testResultsProcessor may have failed it/ },
}

interface Dialect {
  /** The process of the framework, seen from a test. */
  victim: 'process.pid' | 'process.ppid'
  head: string
  describe: string
  hooks: { before: string; after: string }
  /** Jest does not say that an error after an `await` is a hook's. */
  pause?: string
  isFirstTry: string
}

const ON = (mutation: Mutation) => `process.env.MUTATION === ${JSON.stringify(mutation)}`
const fail = (mutation: Mutation, message: string) => `if (${ON(mutation)}) throw new Error('${message}')`

/** `net` has the quarantined failures; `other` passes unless it is told to fail; `broken` may not load. */
function writeFiles(dialect: Dialect): Record<string, string> {
  return { net: writeNet(dialect), other: writeOther(dialect), broken: writeBroken(dialect) }
}

function writeNet({ head, describe, pause = 'await null; ', isFirstTry }: Dialect): string {
  // Node does not tell of a failed afterEach if the test has failed.
  const wait = `async () => {
    await null
    if (!(${ON('hook after each')})) throw new Error('waited ' + Math.random().toString(36))
  }`
  const hook = (mutation: Mutation, when: string, body: string) =>
    `if (${ON(mutation)}) ${when}(async () => { ${pause}${body} })`
  return `${head}
let tries = 0
${describe}('net', () => {
  test('dials', () => {
    ${fail('new error', 'off by one')}
    throw new Error('${KNOWN_ERROR}')
  })
  test('passes', () => {})
  if (${ON('equal names')}) test('dials', () => { throw new Error('off by one') })
})
${describe}('slow', () => {
  ${hook('hook before each', 'beforeEach', `throw new Error('no set-up of a test')`)}
  ${hook('hook after each', 'afterEach', `throw new Error('no tear-down of a test')`)}
  if (${ON('hook of an earlier attempt')}) beforeEach(() => { if (${isFirstTry}) throw new Error('no first set-up') })
  if (${ON('hook time-out')}) beforeEach(() => new Promise(() => {}), 200)
  if (${ON('clean-up of a hook')}) beforeEach(() => () => { throw new Error('no clean-up') })
  const isFixture = ${ON('set-up of a fixture')} || ${ON('tear-down of a fixture')}
  const bench = async ({}, use) => {
    ${fail('set-up of a fixture', 'no bench')}
    await use('bench')
    throw new Error('no end of the bench')
  }
  if (isFixture) test.extend({ bench })('waits', async ({ bench }) => { throw new Error('waited at ' + bench) })
  else test('waits', ${wait})
})
if (${ON('file cut short')}) test('exits', async () => { await new Promise((done) => setTimeout(done, 100)); process.exit(1) })
`
}

function writeOther({ victim, head, describe, hooks }: Dialect): string {
  return `${head}
${describe}('other', () => {
  ${hooks.before}(() => { ${fail('hook before all', 'no set-up')} })
  ${hooks.after}(() => { ${fail('hook after all', 'no tear-down')} })
  test('adds', async () => {
    ${fail('another test', KNOWN_ERROR)}
    if (${ON('unhandled error')}) { void Promise.reject(new Error('nobody waits')); await new Promise((done) => setTimeout(done, 50)) }
    if (${ON('killed')}) process.kill(${victim}, 'SIGKILL')
  })
})
`
}

function writeBroken({ head }: Dialect): string {
  return `${head}
${fail('load error', KNOWN_ERROR)}
test('loads', () => {})
`
}

export interface QuarantineProject {
  dir: string
  /** The command that runs its tests. */
  command: string[]
  /** Runs the tests by `runledger run --`, with `quarantine: true` where `isAsked`. */
  run(env: Record<string, string | undefined>): Promise<CommandResult>
  remove(): Promise<void>
}

export interface QuarantineKind {
  framework: Framework | 'node:test'
  version: string
  /** The file of the quarantined failures. */
  file: string
  /** All mutations of the framework; for an older version only those of hooks. */
  mutations: readonly Mutation[]
  create(): Promise<QuarantineProject>
}

const RETRIES = `process.env.MUTATION === 'hook of an earlier attempt' ? 1 : 0`

const PACKAGED: Record<
  Framework,
  Dialect & {
    bin: string
    args: string[]
    config: [string, string]
    end: string
    more?: Record<string, string>
  }
> = {
  jest: {
    victim: 'process.pid',
    head: `jest.retryTimes(${RETRIES})\n`,
    describe: 'describe',
    hooks: { before: 'beforeAll', after: 'afterAll' },
    pause: '',
    isFirstTry: 'tries++ === 0',
    bin: 'node_modules/jest/bin/jest.js',
    args: ['--runInBand'],
    config: [
      'jest.config.js',
      `const judge = ${ON('another judge')} && { testResultsProcessor: './judge.js' }
module.exports = { reporters: ['default', '@runledger/jest'], ...judge }
`,
    ],
    end: '.test.js',
    more: { 'judge.js': 'module.exports = (results) => ({ ...results, success: false })\n' },
  },
  vitest: {
    victim: 'process.ppid',
    head: "import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'vitest'\n",
    describe: 'describe',
    hooks: { before: 'beforeAll', after: 'afterAll' },
    isFirstTry: 'tries++ === 0',
    bin: 'node_modules/vitest/vitest.mjs',
    args: ['run'],
    config: [
      'vitest.config.mjs',
      `export default { test: { reporters: ['default', '@runledger/vitest'], retry: ${RETRIES} } }\n`,
    ],
    end: '.test.mjs',
  },
  playwright: {
    victim: 'process.ppid',
    head: "const { test } = require('@playwright/test')\nconst { beforeEach, afterEach, beforeAll, afterAll } = test\n",
    describe: 'test.describe',
    hooks: { before: 'beforeAll', after: 'afterAll' },
    isFirstTry: 'test.info().retry === 0',
    bin: 'node_modules/@playwright/test/cli.js',
    args: ['test'],
    config: [
      'playwright.config.js',
      `module.exports = { reporter: [['list'], ['@runledger/playwright']], retries: ${RETRIES} }\n`,
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
  return runCommand(process.execPath, [CLI, 'run', '--', ...command], {
    dir,
    env: { XDG_STATE_HOME: `${dir}.state`, ...env },
  })
}

function packagedKind(framework: Framework, version: string): QuarantineKind {
  const { bin, args, config, end, more, ...dialect } = PACKAGED[framework]
  return {
    framework,
    version,
    file: `net${end}`,
    mutations: listMutations(framework, version === newestVersion(framework)),
    create: async () => {
      const files = { ...nameFiles(writeFiles(dialect), end), ...more, [config[0]]: config[1] }
      const project = await createProject({ framework, version, files })
      const { dir } = project
      const command = [findNode(framework, version), path.join(dir, bin), ...args]
      return {
        dir,
        command,
        run: (env) => runJudged(dir, command, env),
        remove: () => project.remove(),
      }
    },
  }
}

function nodeKind({ major, binary }: NodeRelease): QuarantineKind {
  return {
    framework: 'node:test',
    version: String(major),
    file: 'net.test.mjs',
    mutations: listMutations('node:test', binary === process.execPath),
    create: async () => {
      const dialect: Dialect = {
        victim: 'process.ppid',
        head: "import { after, afterEach, before, beforeEach, describe, test } from 'node:test'\n",
        describe: 'describe',
        hooks: { before: 'before', after: 'after' },
        isFirstTry: 'true',
      }
      const project = await createNodeProject(nameFiles(writeFiles(dialect), '.test.mjs'))
      const files = ['net', 'other', 'broken'].map((name) => `${name}.test.mjs`)
      const command = [binary, '--test', ...REPORTERS, ...files]
      return {
        dir: project.dir,
        command,
        run: (env) => runJudged(project.dir, command, env),
        remove: () => project.remove(),
      }
    },
  }
}

const FRAMEWORKS = ['jest', 'vitest', 'playwright'] as const
const NODES = listNodes().map(nodeKind)
const PACKAGES = FRAMEWORKS.flatMap((framework) =>
  listVersions(framework).map((version) => packagedKind(framework, version)),
)

export const QUARANTINE_KINDS: readonly QuarantineKind[] = [...PACKAGES, ...NODES]

/** Of each framework, the newest version that runs on the Node of these tests. */
export const NEWEST_KINDS = QUARANTINE_KINDS.filter(({ mutations }) => mutations.includes('killed'))

/** The command of a project, for a shard such as `1/2`. */
export function commandOfShard(
  command: readonly string[],
  framework: QuarantineKind['framework'],
  shard: string,
): string[] {
  const [node = '', ...words] = command
  return framework === 'node:test'
    ? [node, `--test-shard=${shard}`, ...words]
    : [node, ...words, `--shard=${shard}`]
}
