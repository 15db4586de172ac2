import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createProject, newestVersion, runCommand, type Project } from '../support/project'
import { type ForgeStandIn, startGitHub, startGitLab } from '../support/forges'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'
import { findBlock, readBlocks } from './read-blocks'

// docs/ci.md: the command of each recipe, with the variables of the recipe and those that its CI sets.

const DOCUMENT = 'docs/ci.md'
const recipes = readBlocks(DOCUMENT, 'yaml')
const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

interface Recipe {
  command: string
  env: Record<string, string>
}

interface Ci {
  name: string
  /** Text of the recipe. */
  mark: string
  find: (recipe: never) => Recipe
  /** What the CI itself sets in a shard, counted from 1; and what it replaces in the recipe by them. */
  variables: (shard: number) => Record<string, string>
  expressions?: (shard: number) => Record<string, string>
  /** Secrets of its own are variables of each job, which a recipe need not name. */
  hasSecrets?: boolean
}

const COMMIT = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3'

const CIS: Ci[] = [
  {
    name: 'GitHub Actions',
    mark: 'npx vitest run --shard=${{ matrix',
    find: ({ jobs }: { jobs: { test: { steps: { run?: string; env?: Record<string, string> }[] } } }) => {
      const { run = '', env = {} } = jobs.test.steps.at(-1) ?? {}
      return { command: run, env }
    },
    variables: () => ({
      GITHUB_ACTIONS: 'true',
      GITHUB_RUN_ID: '17',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_SHA: COMMIT,
      GITHUB_JOB: 'test',
    }),
    expressions: (shard) => ({ '${{ matrix.shard }}': String(shard) }),
  },
  {
    name: 'GitLab CI/CD',
    mark: 'CI_NODE_INDEX',
    find: (recipe: { test: { script: string[]; variables: Record<string, string> } }) => ({
      command: recipe.test.script.at(-1) ?? '',
      env: recipe.test.variables,
    }),
    variables: (shard) => ({
      GITLAB_CI: 'true',
      CI_PIPELINE_ID: '17',
      CI_PIPELINE_URL: 'https://gitlab.example/acme/shop/-/pipelines/17',
      CI_PROJECT_PATH: 'acme/shop',
      CI_COMMIT_REF_NAME: 'main',
      CI_COMMIT_SHA: COMMIT,
      CI_JOB_NAME: `test ${shard}/2`,
      CI_NODE_INDEX: String(shard),
      CI_NODE_TOTAL: '2',
    }),
    hasSecrets: true,
  },
  {
    name: 'Azure Pipelines',
    mark: 'vmImage',
    find: (recipe: { jobs: [{ steps: { script?: string; env?: Record<string, string> }[] }] }) => {
      const { script = '', env = {} } = recipe.jobs[0].steps.at(-1) ?? {}
      return { command: script, env }
    },
    variables: () => ({
      BUILD_BUILDURI: 'vstfs:///Build/Build/17',
      BUILD_BUILDID: '17',
      BUILD_BUILDNUMBER: '20261125.1',
      BUILD_SOURCEVERSION: COMMIT,
      BUILD_SOURCEBRANCH: 'refs/heads/main',
      SYSTEM_TEAMPROJECT: 'shop',
      SYSTEM_TEAMFOUNDATIONCOLLECTIONURI: 'https://dev.azure.example/acme/',
    }),
    expressions: (shard) => ({
      '$(System.JobPositionInPhase)': String(shard),
      '$(System.TotalJobsInPhase)': '2',
    }),
  },
  {
    name: 'Buildkite',
    mark: 'parallelism',
    find: (recipe: { steps: [{ commands: string[]; env: Record<string, string> }] }) => ({
      command: recipe.steps[0].commands.at(-1) ?? '',
      env: recipe.steps[0].env,
    }),
    variables: (shard) => ({
      BUILDKITE: 'true',
      BUILDKITE_BUILD_ID: '0190-17',
      BUILDKITE_BUILD_NUMBER: '17',
      BUILDKITE_BUILD_URL: 'https://buildkite.example/acme/shop/builds/17',
      BUILDKITE_BRANCH: 'main',
      BUILDKITE_COMMIT: COMMIT,
      BUILDKITE_REPO: 'https://github.com/acme/shop.git',
      BUILDKITE_PARALLEL_JOB: String(shard - 1),
      BUILDKITE_PARALLEL_JOB_COUNT: '2',
    }),
    expressions: () => ({ $$: '$' }),
    hasSecrets: true,
  },
]

let service: Service
let project: Project

beforeAll(async () => {
  service = await startService()
  project = await createProject({
    framework: 'vitest',
    version: newestVersion('vitest'),
    files: {
      'vitest.config.mjs': "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n",
      'a.test.js': "import { test } from 'vitest'\ntest('adds', () => {})\n",
      'b.test.js': "import { test } from 'vitest'\ntest('takes away', () => {})\n",
    },
  })
})
afterAll(async () => {
  await service.stop()
  await project.remove()
})

/** The variables that no recipe can have: the address of this test, and its key, which is a secret of the CI. */
const givenHere = () => ({
  RUNLEDGER_URL: service.url,
  RUNLEDGER_API_KEY: service.apiKey,
  RUNLEDGER_PROCEDURE_ID: service.procedureId,
})

const shell = (command: string, env: Record<string, string | undefined>) =>
  runCommand('sh', ['-ec', command], {
    dir: project.dir,
    env: { XDG_STATE_HOME: `${project.dir}.state`, ...env },
  })

async function writeCredentials(): Promise<void> {
  await mkdir(path.join(project.dir, '.runledger'))
  const { url, apiKey: api_key, procedureId: procedure_id } = service
  await writeFile(
    path.join(project.dir, '.runledger/credentials.json'),
    JSON.stringify({ url, api_key, procedure_id }),
  )
}

async function readNewRuns(known: Set<string>): Promise<RunDetail[]> {
  const runs = (await service.readAllRuns()).filter(({ id }) => !known.has(id))
  for (const { id } of runs) known.add(id)
  return runs
}

const known = new Set<string>()

test.each(CIS)('$name: both shards are on record, in one group', async ({ name, mark, ...ci }) => {
  const recipe = ci.find(parse(findBlock(recipes, mark)) as never)
  const needed = Object.keys(givenHere()).filter((each) => !ci.hasSecrets || each !== 'RUNLEDGER_API_KEY')
  expect(Object.keys(recipe.env)).toEqual(expect.arrayContaining(needed))
  for (const shard of [1, 2]) {
    const expressions = Object.entries(ci.expressions?.(shard) ?? {})
    const command = expressions.reduce((text, [from, to]) => text.replaceAll(from, to), recipe.command)
    const env = { CI: 'true', ...ci.variables(shard), ...recipe.env, ...givenHere() }
    const { exitCode, stdout, stderr } = await shell(command, env)
    expect(exitCode, stdout + stderr).toBe(0)
  }
  const runs = await readNewRuns(known)
  expect(runs.map(({ metadata }) => metadata['shard']).toSorted()).toEqual(['1/2', '2/2'])
  expect(new Set(runs.map(({ metadata }) => metadata['group'])).size).toBe(1)
  for (const { metadata } of runs)
    expect(metadata).toMatchObject({ ci: name, git_branch: 'main', git_commit: COMMIT })
})

interface GateStep {
  run: string
  env: Record<string, string>
}

const GATES: [name: string, mark: string, find: (recipe: never) => GateStep][] = [
  [
    'GitHub Actions',
    'gate:\n    needs: test',
    ({ jobs }: { jobs: { gate: { steps: [GateStep] } } }) => jobs.gate.steps[0],
  ],
  [
    'GitLab CI/CD',
    'gate:\n  image',
    ({ gate }: { gate: { script: [string]; variables: Record<string, string> } }) => ({
      run: gate.script[0],
      env: gate.variables,
    }),
  ],
]

test.each(GATES)('%s: its gate decides on the build of the shards', async (name, mark, find) => {
  const { run, env } = find(parse(findBlock(recipes, mark)) as never)
  const gate = run.replace('npx runledger', `'${process.execPath}' '${CLI}'`)
  const ofJob = { CI: 'true', ...CIS.find((ci) => ci.name === name)?.variables(1), ...env, ...givenHere() }
  const { exitCode, stdout, stderr } = await shell(gate, ofJob)
  expect(exitCode, stdout + stderr).toBe(0)
  expect(stdout).toContain('Gate passed\nThe build passed\n')
  const other = { ...ofJob, GITHUB_RUN_ID: '18', CI_PIPELINE_ID: '18' }
  expect(await shell(`${gate} --wait 0`, other)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('--allow no-build') as unknown,
  })
})

const REPORTS: [
  name: string,
  mark: string,
  start: () => Promise<ForgeStandIn>,
  find: (recipe: never) => GateStep,
][] = [
  [
    'GitHub Actions',
    'report:\n    needs: test',
    startGitHub,
    ({ jobs }: { jobs: { report: { steps: [GateStep] } } }) => jobs.report.steps[0],
  ],
  [
    'GitLab CI/CD',
    'report:\n  image',
    startGitLab,
    ({ report }: { report: { script: [string]; variables: Record<string, string> } }) => ({
      run: report.script[0],
      env: report.variables,
    }),
  ],
]

test.each(REPORTS)('%s: its report is on the pull request', async (name, mark, start, find) => {
  const forge = await start()
  const { run, env } = find(parse(findBlock(recipes, mark)) as never)
  const event = path.join(project.dir, 'event.json')
  await writeFile(event, JSON.stringify({ pull_request: { number: 12, head: { sha: COMMIT } } }))
  const ofJob = {
    ...forge.listVariables(17, 12),
    ...CIS.find((ci) => ci.name === name)?.variables(1),
    GITHUB_EVENT_PATH: event,
    ...env,
    ...givenHere(),
    ...(env['GITHUB_TOKEN'] === '${{ github.token }}' && { GITHUB_TOKEN: forge.token }),
  }
  const command = run.replace('npx runledger', `'${process.execPath}' '${CLI}'`)
  const silent = await shell(command, ofJob)
  expect(silent.exitCode, silent.stdout + silent.stderr).toBe(0)
  expect(silent.stdout).toMatch(
    /^No comment, because the build passed\n(Check|Commit status) written: build passed\n$/,
  )
  await shell(`${command} --always`, ofJob)
  expect(forge.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining('### ✅ Runledger: build passed\n') as unknown,
  ])
  await forge.stop()
})

test('Jenkins: its command puts runs on record', async () => {
  const [recipe = ''] = readBlocks(DOCUMENT, 'groovy')
  const [, command = ''] = [...recipe.matchAll(/sh '(.*)'/g)].at(-1) ?? []
  for (const variable of Object.keys(givenHere())) expect(recipe).toContain(`${variable} = `)
  const jenkins = {
    JENKINS_URL: 'https://jenkins.example/',
    BUILD_URL: 'https://jenkins.example/job/shop/17/',
    BUILD_NUMBER: '17',
  }
  const { exitCode, stderr } = await shell(command, {
    ...jenkins,
    GIT_BRANCH: 'main',
    GIT_COMMIT: COMMIT,
    ...givenHere(),
  })
  expect(exitCode, stderr).toBe(0)
  expect((await readNewRuns(known)).map(({ metadata }) => metadata['ci'])).toEqual(['Jenkins', 'Jenkins'])
})

test('runs that could not be sent are sent from the folder that the CI kept', async () => {
  const lines = findBlock(readBlocks(DOCUMENT, 'sh'), 'runledger upload').trim().split('\n')
  const [keep = '', send = ''] = lines
  const nobody = { ...givenHere(), RUNLEDGER_URL: 'http://127.0.0.1:9' }
  await shell(`${keep}\nnpx vitest run`, nobody)
  expect(await readNewRuns(known)).toEqual([])
  // The service that the job could not reach has another address in this test.
  const command = send.replace('npx runledger upload', `$& --url ${service.url}`)
  const { exitCode, stdout, stderr } = await shell(
    command.replace('npx runledger', `'${process.execPath}' '${CLI}'`),
    givenHere(),
  )
  expect(exitCode, stdout + stderr).toBe(0)
  expect(await readNewRuns(known)).toHaveLength(2)
})

test('prints nothing without the secret, if the config allows it', async () => {
  const [config = ''] = readBlocks(DOCUMENT, 'js')
  await writeFile(path.join(project.dir, 'vitest.config.mjs'), config)
  const { RUNLEDGER_API_KEY: apiKey, ...keyless } = givenHere()
  const fork = await shell('npx vitest run', { CI: 'true', ...keyless })
  expect(fork.exitCode).toBe(0)
  expect(fork.stderr).not.toContain('Runledger')
  expect(await readNewRuns(known)).toEqual([])
  for (const env of [{ CI: 'true', ...keyless, RUNLEDGER_API_KEY: apiKey }, {}]) {
    // On somebody's own machine the key is in a file.
    if (!('CI' in env)) await writeCredentials()
    expect((await shell('npx vitest run', env)).stderr).toContain('2 runs on record')
    expect(await readNewRuns(known)).toHaveLength(2)
  }
})
