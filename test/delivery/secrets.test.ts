import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listTraces, PLANTED_TOKENS, tellToken } from '../support/planted-secrets'
import { createProject, listVersions, neededNode, runCommand, type Framework } from '../support/project'
import { createRecordingProxy, findFreePort, type RecordingProxy } from '../support/recording-proxy'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
const PASSWORD = 'k0rrekt-pferd'
const BADGE = 'emp-4711'
const TOLD = [...Object.keys(PLANTED_TOKENS).map(tellToken), `${PASSWORD} and ${BADGE}`].join('\n')
/** What fits into a name; frameworks make names of files of those, with other signs between the words. */
const TITLED = [
  ...['GitHub token', 'user key', 'JSON Web Token'].map((kind) => PLANTED_TOKENS[kind]),
  PASSWORD,
].join(' ')
/** Says nothing of anybody, and is there in the end: the search below finds what is there. */
const HARMLESS = 'nothing-secret-at-all'

const BODY = `
const title = 'logs in as ${HARMLESS} with ${TITLED}'
const tell = () => {
  console.log(told)
  console.error(told + ' key: ' + process.env.RUNLEDGER_API_KEY)
  const error = new Error(told)
  throw error
}
`
const READ = "readFileSync(new URL('told.txt', import.meta.url), 'utf8')"
const READ_CJS = "require('node:fs').readFileSync(__dirname + '/told.txt', 'utf8')"

const PROJECTS: Record<Framework, Record<string, string>> = {
  jest: {
    'jest.config.js': "module.exports = { reporters: ['default', '@runledger/jest'] }",
    'a.test.js': `const told = ${READ_CJS}\n${BODY}\ntest(title, tell)\n`,
  },
  vitest: {
    'vitest.config.mjs': "export default { test: { reporters: ['default', '@runledger/vitest'] } }",
    'a.test.mjs': `import { test } from 'vitest'\nimport { readFileSync } from 'node:fs'\nconst told = ${READ}\n${BODY}
      test(title, async ({ annotate }) => {
        await annotate(title, { path: './told.txt' })
        await annotate('page', { body: Buffer.from(told).toString('base64'), contentType: 'text/html' })
        tell()
      })\n`,
  },
  playwright: {
    'playwright.config.js':
      "module.exports = { retries: 1, reporter: [['line'], ['@runledger/playwright']] }",
    'a.test.js': `const { test } = require('@playwright/test')\nconst told = ${READ_CJS}\n${BODY}
      test(title, async ({}, info) => {
        await info.attach(title, { path: __dirname + '/told.txt' })
        await info.attach('answer', { body: JSON.stringify({ told }), contentType: 'application/json' })
        process.stdout.write('raw ' + told)
        tell()
      })\n`,
  },
}

let service: Service
let proxy: RecordingProxy
/** Where the service listens; all others know only the proxy before it. */
let serviceUrl: string

beforeAll(async () => {
  proxy = await createRecordingProxy()
  const port = await findFreePort()
  serviceUrl = `http://127.0.0.1:${port}`
  service = await startService({ args: ['--public-url', proxy.url, '--port', String(port)] })
})
afterAll(async () => {
  await service.stop()
})

const frameworks: [Framework, string][] = (['jest', 'vitest', 'playwright'] as const).map((framework) => [
  framework,
  listVersions(framework).findLast((version) => neededNode(framework, version) === undefined) as string,
])

it.each(frameworks)('%s %s: no planted secret is anywhere but at home', async (framework, version) => {
  const project = await createProject({
    framework,
    version,
    files: { ...PROJECTS[framework], 'told.txt': TOLD },
  })
  const stateDir = `${project.dir}.state`
  const env = {
    RUNLEDGER_URL: proxy.url,
    RUNLEDGER_API_KEY: service.apiKey,
    RUNLEDGER_PROCEDURE_ID: service.procedureId,
    RUNLEDGER_MAX_RETRIES: '0',
    RUNLEDGER_REDACT: '/emp-\\d+/',
    RUNLEDGER_REPORT_VARIABLES: JSON.stringify({ told: TOLD, harmless: HARMLESS }),
    DB_PASSWORD: PASSWORD,
  }
  // Nobody listens: all of it stays in the spool.
  const down = await project.run({ env })
  expect(down.stderr).toContain('1 run waits in the spool')
  await expectNone(await readTree(stateDir), framework)
  await proxy.start(serviceUrl)
  try {
    const upload = { XDG_STATE_HOME: stateDir, RUNLEDGER_URL: proxy.url, RUNLEDGER_API_KEY: service.apiKey }
    const later = await runCommand(process.execPath, [CLI, 'upload'], { dir: project.dir, env: upload })
    expect(later.exitCode, later.stdout + later.stderr).toBe(0)
    const up = await project.run({ env })
    expect(up.stderr).toContain('1 run on record')
    await expectNone(await readResponses(), framework)
  } finally {
    await proxy.stop()
  }
  await expectNone(proxy.sent, framework)
  await expectNone(await readTree(service.dataDir), framework)
  await project.remove()
})

/** The search finds what is there, and none of the secrets. */
async function expectNone(texts: readonly string[], framework: Framework): Promise<void> {
  const all = texts.join('\n')
  expect(all, framework).toContain(HARMLESS)
  const secrets = { ...PLANTED_TOKENS, password: PASSWORD, badge: BADGE, 'service key': service.apiKey }
  const leaks = Object.entries(secrets).filter(([, secret]) =>
    listTraces(secret).some((trace) => listForms(trace).some((form) => all.includes(form))),
  )
  expect(leaks.map(([kind]) => kind)).toEqual([])
}

function listForms(trace: string): string[] {
  return [trace, trace.replaceAll(/[^A-Za-z0-9]+/g, '-'), Buffer.from(trace).toString('base64')]
}

/** Every file below a folder but the one in which the service hands out its key. */
async function readTree(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((found) => found.isFile() && found.name !== 'credentials.json')
  return Promise.all(
    files.map(
      async (found) => `${found.name}\n${await readFile(path.join(found.parentPath, found.name), 'latin1')}`,
    ),
  )
}

/** What the service tells of its runs, attachments included. */
async function readResponses(): Promise<string[]> {
  const runs = await service.readAllRuns()
  const attachments = runs.flatMap((run) => run.attachments.map(({ name }) => service.download(run, name)))
  return [JSON.stringify(runs), ...(await Promise.all(attachments)).map((bytes) => bytes.toString('latin1'))]
}
