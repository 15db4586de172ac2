import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listNodes } from '../support/nodes'
import { createProject, listVersions } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

let service: Service

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const NEWEST = path.join(REPOSITORY, '.cache/mockers/package.json')

/** Releases of nock and MSW by where they are installed; the newest need Node 22, and replace the connect of sockets. */
const CASES = listNodes().flatMap(({ major, binary }) => {
  const old = { node: major, binary, release: 'older', from: path.join(REPOSITORY, 'package.json') }
  const newest = { node: major, binary, release: 'newest', from: NEWEST }
  return major >= 22 && existsSync(NEWEST) ? [old, newest] : [old]
})

/** Jest's own process mocks every request from the first test on, and nobody ever stops it. */
function createFiles(from: string): Record<string, string> {
  const find = (name: string): string => JSON.stringify(createRequire(from).resolve(name))
  const note = `const note = (what) => appendFileSync('seen.log', what + '\\n')`
  return {
    'jest.config.cjs': `
      const { appendFileSync } = require('node:fs')
      ${note}
      globalThis.fetch = (url) => { note('fetch ' + url); throw new Error('fetch is mocked') }
      module.exports = { reporters: ['@runledger/jest', './probe.cjs'], transform: {} }`,
    'nock.test.mjs': `
      import { appendFileSync } from 'node:fs'
      ${note}
      test('is nocked', async () => {
        const { default: nock } = await import(${find('nock')})
        nock.disableNetConnect()
        nock.emitter.on('no match', (request, options) => note('nock ' + (options?.path ?? request.path)))
      })`,
    'msw.test.mjs': `
      import { appendFileSync } from 'node:fs'
      ${note}
      test('is served by MSW', async () => {
        const { setupServer } = await import(${find('msw/node')})
        const server = setupServer()
        server.events.on('request:start', (event) => note('msw ' + new URL(event.request.url).pathname))
        server.listen({ onUnhandledRequest: 'error' })
      })`,
    'plain.test.mjs': "test('passes', () => {})",
    // Jest awaits each reporter in turn, so this one looks when ours has delivered.
    'probe.cjs': `
      const http = require('node:http')
      const { Socket } = require('node:net')
      const read = () => [http.get, Socket.prototype.connect]
      const before = read()
      module.exports = class {
        onRunComplete() {
          console.log(read().some((found, index) => found !== before[index]) ? 'STILL MOCKED' : 'NOT MOCKED')
        }
      }`,
  }
}

it.each(CASES)('on Node $node the $release request mockers see no request of the reporter', async (plan) => {
  const files = createFiles(plan.from)
  const project = await createProject({
    framework: 'jest',
    version: listVersions('jest').at(-1) as string,
    files,
  })
  const before = (await service.listRuns()).length
  const env = { NODE_OPTIONS: '--experimental-vm-modules' }
  const result = await project.run({ args: ['-i'], node: plan.binary, service, env })
  const seen = await readFile(path.join(project.dir, 'seen.log'), 'utf8').catch(() => '')
  await project.remove()
  expect(result.exitCode, result.stderr).toBe(0)
  expect(result.stderr).toMatch(/Runledger: 3 runs on record, passed/)
  expect((await service.listRuns()).length - before).toBe(3)
  expect(result.stdout).toContain('STILL MOCKED')
  expect(seen).toBe('')
})
