import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createProject, type CommandResult, type Framework } from '../support/project'
import { REPOSITORY } from '../support/repository'
import type { Service } from '../support/service'

/** A project whose config has the line that lets the service plan its shards. */
export interface ShardedProject {
  /** Runs the framework's command. `ran` lists the test files that ran, sorted, a file once for each time. */
  run(
    shard: string | undefined,
    given: { env: Record<string, string>; service?: Service; options?: string[] },
  ): Promise<Ran>
  write(name: string): Promise<void>
  delete(name: string): Promise<void>
  remove(): Promise<void>
}

export interface Ran extends CommandResult {
  ran: string[]
  /** Our lines about the shard. */
  lines: string[]
}

export interface Kind {
  framework: Framework
  version: string
  /** The ends of the framework's test files. */
  end: string
}

export const KINDS: Kind[] = [
  { framework: 'jest', version: '29.7.0', end: '.test.js' },
  { framework: 'jest', version: '30.5.2', end: '.test.js' },
  { framework: 'vitest', version: '3.2.7', end: '.test.mjs' },
  { framework: 'vitest', version: '4.1.12', end: '.test.mjs' },
  { framework: 'vitest', version: '5.1.1', end: '.test.mjs' },
  { framework: 'playwright', version: '1.65.1', end: '.test.js' },
]

const VITEST_CONFIG = `import { RunledgerSequencer } from '@runledger/vitest/sequencer'
const reporters = ['default', '@runledger/vitest']
export default { test: { reporters, sequence: { sequencer: RunledgerSequencer } } }\n`

const CONFIGS: Record<Framework, Record<string, string>> = {
  jest: {
    'jest.config.js': `module.exports = {
      reporters: ['default', '@runledger/jest'], testSequencer: '@runledger/jest/sequencer' }\n`,
  },
  vitest: { 'vitest.config.mjs': VITEST_CONFIG },
  playwright: {
    'playwright.config.js': `module.exports = { testMatch: '*.test.js',
      reporter: [['list'], ['@runledger/playwright', { planShards: true }]] }\n`,
  },
}

const HEADS: Record<Framework, string> = {
  jest: "const { appendFileSync } = require('node:fs')\n",
  vitest: "import { appendFileSync } from 'node:fs'\nimport { test } from 'vitest'\n",
  playwright: "const { appendFileSync } = require('node:fs')\nconst { test } = require('@playwright/test')\n",
}

/** Long enough to outweigh what a busy machine adds to the other files. */
const SLOW_MS = 4_000

/** A test that writes down its file. It takes long in `slow…`, and fails in `broken…`. */
function writeTest({ framework, end }: Kind, name: string): string {
  return `${HEADS[framework]}test('runs', async () => {
    appendFileSync(process.env.RAN, ${JSON.stringify(name + end)} + '\\n')
    ${name.startsWith('slow') ? `await new Promise((done) => setTimeout(done, ${SLOW_MS}))` : ''}
    ${name.startsWith('broken') ? "throw new Error('broken')" : ''}
  })\n`
}

export async function createShardedProject(
  kind: Kind,
  names: readonly string[],
  config = CONFIGS[kind.framework],
): Promise<ShardedProject> {
  const { framework, version, end } = kind
  const tests = Object.fromEntries(names.map((name) => [name + end, writeTest(kind, name)]))
  const own = framework === 'vitest' ? { 'node_modules/.keep': '' } : {}
  const project = await createProject({ framework, version, files: { ...config, ...tests, ...own } })
  if (framework === 'vitest') await copyPackage(project.dir)
  const log = path.join(project.dir, 'ran.txt')
  return {
    run: async (shard, { env, service, options = [] }) => {
      await writeFile(log, '')
      const args = [...(shard === undefined ? [] : [`--shard=${shard}`]), ...options]
      const result = await project.run({ args, env: { ...env, RAN: log }, service })
      const ran = (await readFile(log, 'utf8')).split('\n').filter(Boolean).toSorted()
      const lines = (result.stdout + result.stderr)
        .split('\n')
        .filter((line) => line.startsWith('Runledger: shard '))
      return { ...result, ran, lines }
    },
    write: (name) => writeFile(path.join(project.dir, name + end), writeTest(kind, name)),
    delete: (name) => rm(path.join(project.dir, name + end)),
    remove: () => project.remove(),
  }
}

/** As an install would have it: a linked package would import the Vitest of this repository. */
async function copyPackage(dir: string): Promise<void> {
  const target = path.join(dir, 'node_modules/@runledger')
  const source = path.join(REPOSITORY, 'packages')
  await rm(target)
  await mkdir(target)
  await symlink(path.join(source, 'core'), path.join(target, 'core'), 'dir')
  for (const part of ['package.json', 'dist'])
    await cp(path.join(source, 'vitest', part), path.join(target, 'vitest', part), { recursive: true })
}
