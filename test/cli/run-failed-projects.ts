import path from 'node:path'
import { createNodeProject, REPORTERS } from '../frameworks/node-test-projects'
import { listNodes } from '../support/nodes'
import {
  type CommandResult,
  COMPILED,
  createProject,
  findNode,
  type Framework,
  newestVersion,
  runCommand,
} from '../support/project'
import { REPOSITORY } from '../support/repository'
import type { Service } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

/** Titles of tests that fail until they are fixed. */
const FAILING = [
  'costs $5 (a|b) [x]* \\d ^.+? {2}',
  `quotes ' " \` and "both"`,
  'line\nbreak  and\ttab',
  'ünïcödé 漢字 🚀',
  '  padded  ',
  '--grep=x -t',
  'one › other',
  'half',
]

/** The names on record of the failing tests. */
export const ON_RECORD = [
  'costs $5 (a|b) [x]* \\d ^.+? {2}',
  `quotes ' " \` and "both"`,
  'line break and tab',
  'ünïcödé 漢字 🚀',
  'padded',
  '--grep=x -t',
  'one › other',
  'half',
]

const EACH = [1, 2, 3]
const FAIL = "if (process.env.FIXED === undefined) throw new Error('off by one')"

interface Dialect {
  head: string
  describe: string
  /** The rest of a test file whose test passes on its second attempt. */
  flaky: string
}

/** `names` has failing and passing tests. `load` cannot be loaded while BROKEN is set. */
function writeFiles({ head, describe, flaky }: Dialect): Record<string, string> {
  const test = (name: string, body = '') => `test(${JSON.stringify(name)}, async () => { ${body} })\n`
  return {
    names: `${head}
${FAILING.map((name) => test(name, FAIL)).join('')}
${test('half more')}${test('not half')}${test('passes')}
${EACH.map((each) => test(`adds ${each}`, each === 2 ? FAIL : '')).join('')}
${describe}('first', () => { ${test('same', FAIL)} })
${describe}('second', () => { ${test('same')} })
`,
    more: `${head}
${describe}('outer', () => { ${describe}('inner', () => { ${test('fails elsewhere', FAIL)}${test('works')} }) })
${test('renamed', FAIL).replace('"renamed"', "process.env.RENAMED ?? 'renamed'")}
`,
    load: `${head}
if (process.env.BROKEN) throw new Error('cannot be loaded')
${test('of the file')}${test('of the file, too')}
`,
    flaky: `${head}${flaky}`,
    green: `${head}${test('is green')}`,
  }
}

export interface RerunProject {
  dir: string
  /** The command that runs its tests. */
  command: string[]
  /** Runs one of two shards. */
  runShard(index: number, env: Record<string, string>): Promise<CommandResult>
  runledger(args: string[], env?: Record<string, string>): Promise<CommandResult>
  remove(): Promise<void>
}

export interface Kind {
  name: string
  framework: 'jest' | 'vitest' | 'playwright' | 'node:test'
  version: string
  create(service: Service): Promise<RerunProject>
}

const PACKAGED: Record<
  Framework,
  Dialect & { bin: string; args: string[]; config: Record<string, string>; end: string }
> = {
  jest: {
    head: '',
    describe: 'describe',
    flaky: `jest.retryTimes(1)\nlet tries = 0\ntest('settles', () => { tries += 1; if (tries < 2) throw new Error('not yet') })\n`,
    bin: 'node_modules/jest/bin/jest.js',
    args: [],
    config: { 'jest.config.js': "module.exports = { reporters: ['default', '@runledger/jest'] }\n" },
    end: '.test.js',
  },
  vitest: {
    head: "import { describe, test } from 'vitest'\n",
    describe: 'describe',
    flaky: `let tries = 0\ntest('settles', { retry: 1 }, () => { tries += 1; if (tries < 2) throw new Error('not yet') })\n`,
    bin: 'node_modules/vitest/vitest.mjs',
    args: ['run'],
    config: {
      'vitest.config.mjs': "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n",
    },
    end: '.test.mjs',
  },
  playwright: {
    head: "const { test } = require('@playwright/test')\n",
    describe: 'test.describe',
    flaky: `test.describe.configure({ retries: 1 })\ntest('settles', ({}, info) => { if (info.retry === 0) throw new Error('not yet') })\n`,
    bin: 'node_modules/@playwright/test/cli.js',
    args: ['test'],
    config: {
      'playwright.config.js': `module.exports = { workers: 2, reporter: [['list'], ['@runledger/playwright']],
        projects: [{ name: 'slow (x)' }, { name: 'quick', testIgnore: /names/ }] }\n`,
    },
    end: '.spec.js',
  },
}

const NODE_DIALECT: Dialect = {
  head: "import { describe, test } from 'node:test'\n",
  describe: 'describe',
  // It has no retries.
  flaky: "test('settles', () => {})\n",
}

function describePackaged(framework: Framework, version = newestVersion(framework)): Kind {
  const { bin, args, config, end, ...dialect } = PACKAGED[framework]
  return {
    name: `${framework} ${version}`,
    framework,
    version,
    create: async (service) => {
      const files = Object.entries(writeFiles(dialect)).map(([name, text]) => [
        `tests [x]/${name}${end}`,
        text,
      ])
      const project = await createProject({
        framework,
        version,
        files: { ...config, ...Object.fromEntries(files) },
      })
      const { dir } = project
      const compiled: Record<string, string> =
        framework === 'playwright' ? { PWTEST_CACHE_DIR: COMPILED } : {}
      const command = [findNode(framework, version), bin, ...args]
      const run = (more: string[], env: Record<string, string>) => project.run({ args: more, env, service })
      return {
        dir,
        command,
        runShard: (index, env) => run([`--shard=${index}/2`], env),
        runledger: (given, env) => runledger({ dir, service, given, env: { ...compiled, ...env } }),
        remove: () => project.remove(),
      }
    },
  }
}

/** Node 20 compares a pattern only with the test's own title. */
const MAJORS = [20, 24]

function listOfNode(): Kind[] {
  const nodes = listNodes().filter(({ major }) => MAJORS.includes(major))
  return nodes.map(({ major, binary }) => ({
    name: `node:test of Node ${major}`,
    framework: 'node:test',
    version: String(major),
    create: async (service) => {
      const files = Object.entries(writeFiles(NODE_DIALECT)).map(([name, text]) => [
        `tests [x]/${name}.test.mjs`,
        text,
      ])
      const project = await createNodeProject(Object.fromEntries(files))
      const { dir } = project
      const args = ['--test', ...REPORTERS]
      const run = (more: string[], env: Record<string, string>) =>
        project.run({ node: binary, args: [...args, ...more], env, service })
      return {
        dir,
        command: [binary, ...args],
        runShard: (index, env) => run([`--test-shard=${index}/2`], env),
        runledger: (given, env) => runledger({ dir, service, given, env }),
        remove: () => project.remove(),
      }
    },
  }))
}

export const KINDS: Kind[] = [
  describePackaged('jest'),
  describePackaged('vitest'),
  // It joins titles by " > ".
  describePackaged('vitest', '5.1.1'),
  describePackaged('playwright'),
  ...listOfNode(),
]

export function runledger({
  dir,
  service,
  given,
  env,
}: {
  dir: string
  service: Service
  given: string[]
  env: Record<string, string> | undefined
}): Promise<CommandResult> {
  return runCommand(process.execPath, [CLI, ...given], {
    dir,
    service,
    env: { XDG_STATE_HOME: `${dir}.state`, ...env },
  })
}
