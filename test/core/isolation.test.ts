import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listNodes } from '../support/nodes'
import { runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

const CORE = path.join(REPOSITORY, 'packages/core/dist')

let service: Service
let folder: string

beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-isolation-'))
})

afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

const RECORD_ONE_RUN = `
  const record = async ({ createExecution }) => {
    const execution = createExecution(
      { framework: 'jest', frameworkVersion: '30', rootDir: process.cwd(), startedAtMs: Date.now() }, {})
    execution.addSuite({ project: '', file: 'a.test.js', startedAtMs: Date.now(), durationMs: 1, outcome: 'passed',
      problems: [], output: [], attachments: [],
      tests: [{ titles: ['t'], outcome: 'passed', flaky: false, startedAtMs: Date.now(), durationMs: 1,
        attempts: [{ status: 'passed', errors: [], attachments: [], output: [] }] }] })
    const result = await execution.finish()
    if (result.status !== 'uploaded') throw new Error(JSON.stringify(result) + result.error)
    return result.url
  }
`

async function runScript(node: string, name: string, script: string) {
  const file = path.join(folder, name)
  await writeFile(file, script)
  return runCommand(node, [file], { dir: REPOSITORY, service })
}

const core = JSON.stringify(pathToFileURL(path.join(CORE, 'index.js')).href)

describe('the upload core', () => {
  it.each(listNodes())(
    'reaches the service on Node $major while request mockers block everything',
    async ({ binary: node }) => {
      const from = (name: string) =>
        JSON.stringify(pathToFileURL(path.join(REPOSITORY, 'node_modules', name)).href)
      const script = `
      import nock from ${from('nock/index.js')}
      import undici from ${from('undici/index.js')}
      ${RECORD_ONE_RUN}
      nock.disableNetConnect()
      const mock = new undici.MockAgent()
      mock.disableNetConnect()
      undici.setGlobalDispatcher(mock)
      globalThis.fetch = () => Promise.reject(new Error('fetch is mocked'))
      console.log('RECORDED ' + (await record(await import(${core}))))
      const http = await import('node:http')
      await new Promise((resolve) => http.get(process.env.RUNLEDGER_URL, () => { console.log('MOCKER OFF'); resolve() })
        .on('error', () => { console.log('STILL BLOCKED'); resolve() }))
    `
      const result = await runScript(node, 'mocked.mjs', script)
      expect(result.stdout, result.stderr).toContain('RECORDED http')
      expect(result.stdout).toContain('STILL BLOCKED')
    },
  )

  it.each(listNodes())(
    'leaves the user’s fetch as it was on Node $major, in ESM and CJS',
    async ({ binary: node }) => {
      const use = `
      const check = async (url) => {
        const answer = await fetch(url, { method: 'PUT', body: Buffer.from('hello'), headers: { 'content-length': '5' } })
        console.log('FETCHED ' + (await answer.text()))
      }
      const serve = (http) => new Promise((resolve) => {
        const server = http.createServer((request, response) => {
          let size = 0
          request.on('data', (chunk) => (size += chunk.length)).on('end', () => response.end('got ' + size))
        }).listen(0, '127.0.0.1', () => resolve(server))
      })
    `
      const main = `
      const server = await serve(http)
      console.log('RECORDED ' + (await record(core)))
      await check('http://127.0.0.1:' + server.address().port)
      server.close()
    `
      const esm = `import http from 'node:http'; import * as core from ${core}\n${RECORD_ONE_RUN}${use}${main}`
      const cjs = `const http = require('node:http'); const core = require(${JSON.stringify(path.join(CORE, 'index.cjs'))})
      ${RECORD_ONE_RUN}${use};(async () => { ${main} })()`
      for (const [name, script] of [
        ['fetch.mjs', esm],
        ['fetch.cjs', cjs],
      ] as const) {
        const result = await runScript(node, name, script)
        expect(result.stdout, result.stderr).toContain('RECORDED http')
        expect(result.stdout, result.stderr).toContain('FETCHED got 5')
      }
    },
  )
})
