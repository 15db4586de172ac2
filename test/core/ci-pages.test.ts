import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProject, listVersions, neededNode, type Framework, type Project } from '../support/project'
import { startService, type Service } from '../support/service'

const TITLE = 'pays | <b>in [full](http://evil.example)</b>'
const BODY = `\ntest('passes', () => {})\ntest(${JSON.stringify(TITLE)}, () => {\n  throw new Error('not s3same-street,\\nbut 2')\n})\n`

const FILES: Record<Framework, Record<string, string>> = {
  jest: { 'jest.config.js': "module.exports = { reporters: ['@runledger/jest'] }", 'a.test.js': BODY },
  vitest: {
    'vitest.config.mjs': "export default { test: { reporters: ['@runledger/vitest'] } }",
    'a.test.js': `import { test } from 'vitest'${BODY}`,
  },
  playwright: {
    'playwright.config.js': "module.exports = { reporter: [['@runledger/playwright']] }",
    'a.test.js': `const { test } = require('@playwright/test')${BODY}`,
  },
}
const FRAMEWORKS = ['jest', 'vitest', 'playwright'] as const

let service: Service
let dir: string
const projects: Project[] = []

beforeAll(async () => {
  service = await startService()
  dir = await mkdtemp(path.join(os.tmpdir(), 'runledger-pages-'))
})
afterAll(async () => {
  await service.stop()
  await rm(dir, { recursive: true, force: true })
  await Promise.all(projects.map((project) => project.remove()))
})

async function run(framework: Framework, env: Record<string, string>) {
  const version = listVersions(framework).findLast((each) => neededNode(framework, each) === undefined)
  const project = await createProject({ framework, version: version as string, files: FILES[framework] })
  projects.push(project)
  const secret = { PAYMENT_TOKEN: 's3same-street' }
  const { exitCode, stderr } = await project.run({ service, env: { ...secret, ...env } })
  return { exitCode, stderr, dir: project.dir, version }
}

it('reports three frameworks in one step on GitHub, and marks failures', async () => {
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: path.join(dir, 'summary'),
    GITHUB_OUTPUT: path.join(dir, 'output'),
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/widget',
    GITHUB_RUN_ID: '99',
    GITHUB_JOB: 'e2e',
    GITHUB_ACTOR: 'ada',
    RUNLEDGER_ANNOTATIONS: 'true',
  }
  await writeFile(env.GITHUB_STEP_SUMMARY, '')
  await writeFile(env.GITHUB_OUTPUT, '')
  const headings: string[] = []
  for (const framework of FRAMEWORKS) {
    const { exitCode, stderr, version, dir: root } = await run(framework, env)
    expect(exitCode).toBe(1)
    const commands = stderr.split('\n').filter((line) => line.startsWith('::'))
    expect(commands).toHaveLength(1)
    expect(commands[0]).toMatch(/^::error file=.*a\.test\.js,line=4,title=pays.*::.*not \*\*\*,%0Abut 2/)
    expect(commands[0]).toContain(`file=${root}/a.test.js,`)
    headings.push(`### ${framework} ${version}: ❌ 1 of 1 run failed`)
  }
  const told = (await service.readAllRuns()).map(({ metadata }) => metadata)
  expect(new Set(told.map(({ group }) => group)).size).toBe(1)
  const job = { ci_job: 'e2e', ci_actor: 'ada', package: '@acme/widget', package_version: '2.1.0' }
  const ci = { ci: 'GitHub Actions', ci_build_url: 'https://github.com/acme/widget/actions/runs/99' }
  expect(told).toEqual(FRAMEWORKS.map((framework) => expect.objectContaining({ framework, ...job, ...ci })))
  const summary = await readFile(env.GITHUB_STEP_SUMMARY, 'utf8')
  expect(summary.match(/^###.*$/gm)).toEqual(headings)
  const urls = (await readFile(env.GITHUB_OUTPUT, 'utf8')).trimEnd().split('\n')
  expect(urls).toHaveLength(3)
  for (const line of urls) {
    const url = line.replace(/^runUrl=/, '')
    expect(url.startsWith(`${service.url}/`)).toBe(true)
    expect(summary).toContain(`[Open on Runledger](<${url}>)`)
  }
  expect(summary).not.toContain('http://evil')
  expect(summary).not.toContain(service.apiKey)
})

it.each(FRAMEWORKS)('%s: hands Azure a page and the link', async (framework) => {
  const folder = await mkdtemp(path.join(dir, 'agent-'))
  const { stderr } = await run(framework, { TF_BUILD: 'True', AGENT_TEMPDIRECTORY: folder })
  const commands = stderr.split('\n').filter((line) => line.startsWith('##vso'))
  const [page = ''] = await readdir(folder)
  expect(commands).toEqual([
    expect.stringMatching(/^##vso\[task\.setvariable variable=runUrl;isOutput=true\]http:\/\/127\.0\.0\.1/),
    `##vso[task.uploadsummary]${path.join(folder, page)}`,
  ])
})

it('shows what could not be sent, and no link', async () => {
  const summary = path.join(dir, 'of-outage')
  const output = path.join(dir, 'output-of-outage')
  const down = { RUNLEDGER_URL: 'http://127.0.0.1:9', RUNLEDGER_MAX_RETRIES: '0' }
  await run('vitest', {
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_OUTPUT: output,
    ...down,
  })
  const text = await readFile(summary, 'utf8')
  expect(text).toContain('> not everything is on record')
  expect(text).toContain('| ❌ a.test.js | 1 | 1 | 0 | 0 |')
  await expect(readFile(output)).rejects.toThrow('ENOENT')
})

it('makes the address a link on a terminal that knows links', async () => {
  const { stderr } = await run('jest', { FORCE_HYPERLINK: '1' })
  const line = stderr.split('\n').find((each) => each.startsWith('Runledger:')) ?? ''
  // oxlint-disable-next-line no-control-regex
  expect(line).toMatch(/: \u001B\]8;;(http:\S+)\u001B\\\1\u001B\]8;;\u001B\\$/)
  expect((await run('jest', {})).stderr).not.toContain('\u001B]8')
})
