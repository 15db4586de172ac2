import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSuite, createTest, FACTS } from '../../../../test/support/suites'
import type { Environment } from '../config/options'
import { resolveOptions } from '../config/resolve-options'
import { RUNLEDGER_VARIABLES } from '../environment/report-variables'
import { mapRun } from './map-run'
import { RunContexts } from './run-context'
import type { RunSource } from './run-source'

let root: string
let project: string

const git = (...args: string[]): void => void execFileSync('git', args, { cwd: root, stdio: 'ignore' })

beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'runledger-context-')))
  project = path.join(root, 'packages/cart')
  mkdirSync(project, { recursive: true })
  writeFileSync(path.join(root, 'CODEOWNERS'), '/packages/cart/src @carts\n/packages/cart/src/free.test.ts\n')
  git('init', '-q', '-b', 'feature')
  git('-c', 'user.name=t', '-c', 'user.email=t@t.example', 'commit', '-q', '--allow-empty', '-m', 'first')
  git('remote', 'add', 'origin', 'https://ada:hush-hush@git.example/acme/widget.git')
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk')
})

afterAll(() => rmSync(root, { recursive: true }))

async function prepare(env: Environment = {}, shard?: string): Promise<RunContexts> {
  const facts = { ...FACTS, rootDir: project, shard }
  const options = resolveOptions(
    { reportVariables: { repository: 'mine', file_in_repository: 'mine' } },
    env,
    project,
  )
  const contexts = new RunContexts({ facts, options, env })
  await contexts.prepare()
  return contexts
}

// Tests may try to set what is Runledger's.
const EVENTS = RUNLEDGER_VARIABLES.map((name, order) => {
  return { kind: 'variable' as const, name, value: 'mine', atMs: FACTS.startedAtMs, order }
})

const sourceOf = (file: string): RunSource => ({
  project: '',
  file,
  suites: [createSuite({ file, events: EVENTS })],
  namesFiles: false,
})

it('says where the run’s file is in the repository, and what of it is where', async () => {
  const contexts = await prepare({}, '2/4')
  const source = sourceOf('src/a.test.ts')
  const { request } = mapRun(source, contexts.describe(source, 'id'), new Map())
  expect(request.report_variables).toMatchObject({
    repository: 'https://git.example/acme/widget',
    git_default_branch: 'trunk',
    file: 'src/a.test.ts',
    file_in_repository: 'packages/cart/src/a.test.ts',
    shard: '2/4',
    shard_index: '2',
    shard_total: '4',
  })
  expect(request.report_variables).not.toHaveProperty('git_merge_base')
  expect(request.report_variables).not.toHaveProperty('ci_rerun')
  expect(JSON.stringify(request)).not.toMatch(/hush|mine/)
})

it('names the shard that the option names, where the framework names none', async () => {
  const shardOf = async (own?: string) => {
    const contexts = await prepare(
      { RUNLEDGER_SHARD: '2/5', RUNLEDGER_PROCEDURE_ID: 'cart', CI: 'true' },
      own,
    )
    const source = sourceOf('src/a.test.ts')
    const { report_variables } = mapRun(source, contexts.describe(source, 'id'), new Map()).request
    return [report_variables?.['shard'], (await contexts.findCiExecution())?.facts.shard]
  }
  expect(await shardOf()).toEqual(['2/5', '2/5'])
  expect(await shardOf('1/3')).toEqual(['1/3', '1/3'])
})

it('marks the runs of an execution that runs failed tests again', async () => {
  const contexts = await prepare({ RUNLEDGER_FAILED_RERUN: 'd2f1' })
  const source = sourceOf('src/a.test.ts')
  const { request } = mapRun(source, contexts.describe(source, 'id'), new Map())
  expect(request.report_variables).toMatchObject({ failed_rerun: 'd2f1' })
  expect(JSON.stringify(request)).not.toContain('mine')
})

it('names no file of a run of several suites, and none where errors belong to no file', async () => {
  const contexts = await prepare()
  const shared = { ...sourceOf('web'), project: 'web', namesFiles: true }
  for (const source of [shared, sourceOf('(execution)'), sourceOf('../../../a.test.ts')]) {
    const { request } = mapRun(source, contexts.describe(source, 'id'), new Map())
    expect(request.report_variables).toMatchObject({ file: source.file, git_branch: 'feature' })
    expect(request.report_variables).not.toHaveProperty('file_in_repository')
    expect(request.report_variables).not.toHaveProperty('shard_index')
  }
})

it('gives tests the owner of their suite’s file, unless they have one of their own', async () => {
  const contexts = await prepare()
  const ownersOf = (file: string): (string | undefined)[] => {
    const tests = [createTest(['a']), createTest(['b'], { owner: '@own' })]
    const suite = createSuite({ file, tests })
    contexts.addOwners(suite)
    return suite.tests.map(({ owner }) => owner)
  }
  expect(ownersOf('src/a.test.ts')).toEqual(['@carts', '@own'])
  expect(ownersOf('src/free.test.ts')).toEqual([undefined, '@own'])
  expect(ownersOf('a.test.ts')).toEqual([undefined, '@own'])
  expect(ownersOf('(execution)')).toEqual([undefined, '@own'])
})

it('finds the owner of a suite whose name was masked since', async () => {
  const contexts = await prepare()
  const suite = createSuite({ file: 'src/a.test.ts' })
  contexts.addOwners(suite)
  suite.file = 'src/***.test.ts'
  suite.tests = [createTest(['added later'])]
  contexts.addOwners(suite)
  expect(suite.tests).toMatchObject([{ owner: '@carts' }])
})
