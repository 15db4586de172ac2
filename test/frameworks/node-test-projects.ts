import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { runCommand, type CommandResult, type RunOptions } from '../support/project'
import { REPOSITORY } from '../support/repository'

export interface NodeProject {
  dir: string
  /** Runs `node` with arguments in the project. */
  run(options: RunOptions & { node: string; args: string[] }): Promise<CommandResult>
  remove(): Promise<void>
}

/** Writes the files into a fresh project that has the built reporter in its node_modules. */
export async function createNodeProject(files: Record<string, string>): Promise<NodeProject> {
  const dir = await realpath(await mkdtemp(path.join(os.tmpdir(), 'runledger-node-test-')))
  const manifest = '{"name": "@acme/widget", "version": "2.1.0", "type": "module"}\n'
  for (const [name, content] of Object.entries({ 'package.json': manifest, ...files })) {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true })
    await writeFile(path.join(dir, name), content)
  }
  // Reporters trust a home in the temporary folder only if it exists.
  await mkdir(`${dir}.state`)
  await mkdir(path.join(dir, 'node_modules/@runledger'), { recursive: true })
  for (const name of ['core', 'node-test'])
    await symlink(
      path.join(REPOSITORY, 'packages', name),
      path.join(dir, 'node_modules/@runledger', name),
      'dir',
    )
  return {
    dir,
    run: ({ node, args, ...run }) =>
      runCommand(node, args, { ...run, dir, env: { XDG_STATE_HOME: `${dir}.state`, ...run.env } }),
    remove: async () => {
      for (const folder of [dir, `${dir}.state`]) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Node's own report beside ours. */
export const REPORTERS = [
  '--test-reporter=tap',
  '--test-reporter-destination=stdout',
  '--test-reporter=@runledger/node-test',
  '--test-reporter-destination=stdout',
]

const HEAD = `import { after, afterEach, before, beforeEach, describe, it, test } from 'node:test'
import assert from 'node:assert/strict'
`

/** Every way in which a test or a suite of one file can end. */
const KINDS = `${HEAD}console.log('printed at the head')
test('passes', () => {})
test('compares', () => { assert.deepEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] }) })
test('throws with a cause', () => { throw new Error('outer', { cause: new TypeError('inner') }) })
test('throws several', () => { throw new AggregateError([new Error('one'), new RangeError('two')], 'many') })
test('throws a text', () => { throw 'only text' })
test('throws nothing', () => { throw undefined })
test('rejects', async () => { await Promise.reject(new RangeError('refused')) })
test('skipped', { skip: true }, () => {})
test('skipped for a reason', { skip: 'not today' }, () => {})
test('skipped from within', (t) => { t.skip('no device') })
test('todo', { todo: true }, () => {})
test('todo that fails', { todo: 'to be mended' }, () => { throw new Error('not yet') })
test('times out', { timeout: 40 }, async () => { await new Promise((done) => setTimeout(done, 300)) })
test('aborted', { signal: AbortSignal.timeout(1) }, async () => { await new Promise((done) => setTimeout(done, 200)) })
test('parent', async (t) => {
  await t.test('passing child', () => {})
  await t.test('failing child', () => { assert.equal('a', 'b') })
})
test('parent that does not wait', (t) => { void t.test('lost child', async () => { await new Promise((done) => setTimeout(done, 50)) }) })
test('parent with a todo', async (t) => { await t.test('todo child', { todo: true }, () => { throw new Error('x') }) })
test('rejects without a catch', async () => { void Promise.reject(new Error('nobody')); await new Promise((done) => setTimeout(done, 30)) })
describe('suite', () => {
  it('of a suite', () => {})
  it('failing in a suite', () => { throw new Error('in the suite') })
  describe('inner', () => { it('deep', () => {}) })
})
describe('before fails', () => { before(() => { throw new Error('no set-up') }); it('never ran', () => {}); it('nor this', () => {}) })
describe('after fails', () => { after(() => { throw new Error('no tear-down') }); it('ran before', () => {}) })
describe('beforeEach fails', () => { beforeEach(() => { throw new Error('no start') }); it('is failed', () => {}) })
describe('afterEach fails', () => { afterEach(() => { throw new Error('no end') }); it('is failed after', () => {}) })
describe('body throws', () => { it('was declared', () => {}); throw new Error('in the body') })
describe('skipped suite', { skip: 'all of it' }, () => { it('not run', () => {}) })
test('twice', () => {})
test('twice', () => {})
test('remarks', (t) => { t.diagnostic('a remark') })
`

/** Files that fail beside their tests, and some that pass. */
export const FILES: Record<string, string> = {
  'test/kinds.test.mjs': KINDS,
  'test/syntax.test.mjs': 'const value = ;\n',
  'test/missing.test.mjs': "import './nowhere.mjs'\n",
  'test/throws.test.mjs': `${HEAD}test('before the throw', () => {})\nthrow new Error('at the top')\n`,
  'test/exits.test.mjs': `${HEAD}test('first', () => {})\ntest('exits', () => { process.exit(3) })\n`,
  'test/exits-well.test.mjs': `${HEAD}test('first', () => {})\ntest('exits', () => { process.exit(0) })\n`,
  'test/exit-code.test.mjs': `${HEAD}test('sets it', () => { process.exitCode = 5 })\n`,
  'test/killed.test.mjs': `${HEAD}test('dies', () => { process.kill(process.pid, 'SIGKILL') })\n`,
  'test/uncaught.test.mjs': `${HEAD}test('too late', () => { setTimeout(() => { throw new Error('uncaught') }, 5) })
test('meanwhile', async () => { await new Promise((done) => setTimeout(done, 40)) })\n`,
  'test/script.test.mjs': "console.log('a script without tests')\n",
  'test/failing-script.test.mjs': "import assert from 'node:assert'\nassert.equal(1, 3)\n",
  'test/root-before.test.mjs': `${HEAD}before(() => { throw new Error('no root') })\ntest('of the root', () => {})\n`,
  'test/root-after.test.mjs': `${HEAD}after(() => { throw new Error('no end of the root') })\ntest('fine', () => {})\n`,
  'test/skip-then-throw.test.mjs': `${HEAD}test('skips, then throws', (t) => { t.skip('late'); throw new Error('x') })\ntest('runs beside it', () => {})\n`,
  'test/todo-suite.test.mjs': `${HEAD}describe('todo suite', { todo: true }, () => { it('in it', () => { throw new Error('x') }) })\ntest('runs beside a todo', () => {})\n`,
  'test/passes.test.mjs': `${HEAD}test('speaks', () => { console.log('to stdout'); console.error('to stderr') })\n`,
}

export const TEST_FILES = Object.keys(FILES).filter((name) => name.includes('.test.'))

/** A test point of Node's TAP report. */
export interface TapPoint {
  titles: string[]
  isOk: boolean
  directive: string | undefined
  isSuite: boolean
}

/** Reads the TAP that Node writes: each point is followed by its block of YAML, and its parents are named before it. */
export function readTap(tap: string): TapPoint[] {
  const titles: string[] = []
  const points: TapPoint[] = []
  for (const line of tap.split('\n')) {
    const [, indent = '', isNot, rest, subtest] =
      /^( *)(?:(not )?ok \d+ - (.*)|# Subtest: (.*))$/.exec(line) ?? []
    const depth = indent.length / 4
    if (subtest !== undefined) titles.splice(depth, titles.length, subtest)
    if (/^ *type: 'suite'$/.test(line)) Object.assign(points.at(-1) ?? {}, { isSuite: true })
    if (rest === undefined) continue
    const [, name = '', directive] = /^(.*?)(?: # (SKIP|TODO|EXPECTED FAILURE)\b.*)?$/.exec(rest) ?? []
    points.push({
      titles: [...titles.slice(0, depth), name],
      isOk: isNot === undefined,
      directive,
      isSuite: false,
    })
  }
  return points
}

/** The counts at the end of the TAP report. */
export function readCounts(tap: string): Record<string, number> {
  const found = tap.matchAll(/^# (tests|pass|fail|cancelled|skipped|todo) (\d+)$/gm)
  return Object.fromEntries([...found].map(([, name = '', count]) => [name, Number(count)]))
}
