import type { Build } from '@runledger/protocol'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createResponse,
  startTestServer,
  type TestServer,
} from '../../packages/server/src/testing/start-test-server'
import { createNodeProject } from '../frameworks/node-test-projects'
import { drawCases } from '../support/draw'
import {
  type CommandResult,
  createProject,
  newestVersion,
  type Framework,
  type Project,
  type RunOptions,
} from '../support/project'

// States of builds whose shards report, never begin, or are killed; with real frameworks in a CI.

const HOUR = 3600
type Runner = Framework | 'node:test'
const RUNNERS: readonly Runner[] = ['jest', 'vitest', 'playwright', 'node:test']
const NAMES = ['a', 'b', 'c', 'd']

let server: TestServer

// Its clock can be moved.
beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

const get = createResponse(() => server)
const readBuild = (group: string) => get<Build>('GET', `/v2/builds/${group}`)
const readPage = async (group: string) => (await server.send('GET', `/runs.md?group=${group}`)).text()

const IMPORTS: Partial<Record<Runner, string>> = {
  'node:test': "import { test } from 'node:test'\n",
  vitest: "import { test } from 'vitest'\n",
  playwright: "import { test } from '@playwright/test'\n",
}

/** Four files, one for each shard; the third never ends when `HANG` names it. */
async function createShardedProject(framework: Runner): Promise<ShardedProject> {
  const imports = IMPORTS[framework] ?? ''
  const file = (name: string) =>
    `${imports}test('${name}', async () => {\n  if (process.env.HANG === '${name}') await new Promise((resolve) => setTimeout(resolve, 600_000))\n})\n`
  if (framework === 'node:test') return createShardedNodeProject(file)
  const configs = {
    jest: { 'jest.config.mjs': "export default { reporters: ['default', '@runledger/jest'] }\n" },
    vitest: {
      'vitest.config.mjs': "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n",
    },
    playwright: {
      'playwright.config.mjs':
        "export default { reporter: [['list'], ['@runledger/playwright']], workers: 1, timeout: 0 }\n",
    },
  }
  const files = Object.fromEntries(NAMES.map((name) => [`${name}.test.js`, file(name)]))
  const project = await createProject({
    framework,
    version: newestVersion(framework),
    files: { ...configs[framework], ...files } as Record<string, string>,
  })
  return {
    ...project,
    runShard: (shard, { args = [], ...options }) =>
      project.run({ ...options, args: [`--shard=${shard}`, ...args] }),
  }
}

interface ShardedProject extends Pick<Project, 'dir' | 'remove'> {
  runShard(shard: string, options: RunOptions): Promise<CommandResult>
}

async function createShardedNodeProject(file: (name: string) => string): Promise<ShardedProject> {
  const files = NAMES.map((name) => `${name}.test.mjs`)
  const project = await createNodeProject(
    Object.fromEntries(NAMES.map((name) => [`${name}.test.mjs`, file(name)])),
  )
  const reporter = ['--test-reporter=@runledger/node-test', '--test-reporter-destination=stdout']
  return {
    ...project,
    runShard: (shard, options) =>
      project.run({
        ...options,
        node: process.execPath,
        args: ['--test', `--test-shard=${shard}`, ...reporter, ...files],
      }),
  }
}

let builds = 0

/** Variables that GitHub Actions sets in a build; each test has a build of its own. */
function startBuild(project: ShardedProject) {
  builds += 1
  const group = `build-${builds}`
  const summaryFile = path.join(project.dir, 'summary.md')
  const env = {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_RUN_ID: String(builds),
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REF: `refs/heads/build-${builds}`,
    GITHUB_JOB: 'test',
    GITHUB_STEP_SUMMARY: summaryFile,
    RUNLEDGER_GROUP: group,
    RUNLEDGER_URL: server.url,
    RUNLEDGER_API_KEY: server.apiKey,
    RUNLEDGER_PROCEDURE_ID: server.procedureId,
  }
  return {
    group,
    summaryFile,
    run: (shard: string, options: { hang?: string; kill?: AbortSignal; args?: string[] } = {}) =>
      project.runShard(shard, {
        args: options.args ?? [],
        env: { ...env, HANG: options.hang },
        kill: options.kill,
      }),
  }
}

async function expectPassed(run: Promise<{ exitCode: number | null; stdout: string; stderr: string }>) {
  const { exitCode, stdout, stderr } = await run
  expect(exitCode, stdout + stderr).toBe(0)
  return stderr
}

describe.each(drawCases('frameworks of incomplete builds', RUNNERS, 2))('a build of %s', (framework) => {
  let project: ShardedProject

  beforeAll(async () => {
    project = await createShardedProject(framework)
  })

  afterAll(() => project.remove())

  it('is running while its third shard has not reported, then incomplete, and passes once it has', async () => {
    const { group, summaryFile, run } = startBuild(project)
    let line = ''
    for (const shard of ['1/4', '2/4', '4/4']) line = await expectPassed(run(shard))
    expect(line).toContain('Runledger: build running: shard 3 of 4 has not reported')
    const summary = await readFile(summaryFile, 'utf8')
    expect(summary.split('###').at(-1)).toContain('**Build running**\n>\n> - shard 3 of 4 has not reported')
    expect(await readBuild(group)).toMatchObject({
      state: 'running',
      runs: { total: 3, failed: 0 },
      shards: { reported: 3, expected: 4 },
      executions: { begun: 3, ended: 3 },
    })
    server.advance(HOUR + 1)
    expect(await readBuild(group)).toMatchObject({
      state: 'incomplete',
      missing: ['shard 3 of 4 has not reported'],
    })
    expect(await readPage(group)).toContain('**Build incomplete: `shard 3 of 4 has not reported`**')
    expect(await expectPassed(run('3/4'))).not.toContain('build ')
    expect(await readBuild(group)).toMatchObject({ state: 'passed', missing: [] })
    expect(await readPage(group)).toContain('**Build passed**')
    await rm(summaryFile)
  })

  it('is incomplete when an execution is killed after it began', async () => {
    const { group, run } = startBuild(project)
    const killed = new AbortController()
    const dying = run('1/1', { hang: 'c', kill: killed.signal })
    await expect.poll(() => server.send('GET', `/v2/builds/${group}`).then(({ status }) => status)).toBe(200)
    expect(await readBuild(group)).toMatchObject({ state: 'running', executions: { begun: 1, ended: 0 } })
    killed.abort()
    await dying
    server.advance(HOUR + 1)
    const { state, missing } = await readBuild(group)
    expect([state, ...missing]).toEqual([
      'incomplete',
      expect.stringMatching(
        /^an execution \([\w:]+, shard 1 of 1\) that began \d{4}-\d\d-\d\d \d\d:\d\d UTC on \S+ has not ended$/,
      ),
    ])
    expect(await readPage(group)).toMatch(/\*\*Build incomplete: `an execution \(.* has not ended`\*\*/)
  })
})

it.each([
  ['jest', '--passWithNoTests'],
  ['playwright', '--pass-with-no-tests'],
] as const)('a shard of %s without tests is not missing', async (framework, argument) => {
  const project = await createShardedProject(framework)
  const { group, run } = startBuild(project)
  for (const shard of ['1/5', '2/5', '3/5', '4/5', '5/5'])
    await expectPassed(run(shard, { args: [argument] }))
  expect(await readBuild(group)).toMatchObject({
    state: 'passed',
    runs: { total: 4 },
    shards: { reported: 5, expected: 5 },
  })
  await project.remove()
})
