import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request as forward, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findFreePort } from '../support/recording-proxy'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

let service: Service
let folder: string
let proxy: Server
/** Answers 503 to the bytes of attachments. */
let refusesFiles = true

beforeEach(async () => {
  const localPort = await findFreePort()
  const localUrl = `http://127.0.0.1:${localPort}`
  proxy = createServer((incoming, response) => {
    if (refusesFiles && incoming.method === 'PUT') {
      response.writeHead(503).end()
      return
    }
    const { method, headers, url = '/' } = incoming
    const onward = forward(new URL(url, localUrl), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const publicUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  service = await startService({ args: ['--port', String(localPort), '--public-url', publicUrl], localUrl })
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-import-'))
})
afterEach(async () => {
  proxy.close()
  proxy.closeAllConnections()
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Imports the file, and returns the exit code with what was printed. */
function importFile(): Promise<{ code: number; printed: string }> {
  const env = {
    ...process.env,
    XDG_STATE_HOME: path.join(folder, 'state'),
    RUNLEDGER_URL: service.url,
    RUNLEDGER_API_KEY: service.apiKey,
    RUNLEDGER_PROCEDURE_ID: service.procedureId,
    RUNLEDGER_DEADLINE_MS: '2000',
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, 'import', 'lamp.xml'], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), printed: stdout + stderr })
    })
  })
}

test('an import whose attachments wait is not done, nor is the next one while they wait', async () => {
  await writeFile(path.join(folder, 'shot.txt'), 'dark')
  await writeFile(
    path.join(folder, 'lamp.xml'),
    '<testsuite name="lamp"><testcase name="holds"><system-out>[[ATTACHMENT|shot.txt]]</system-out></testcase></testsuite>',
  )
  const first = await importFile()
  const second = await importFile()
  refusesFiles = false
  const third = await importFile()
  expect([first.code, second.code, third.code]).toEqual([1, 1, 0])
  expect(second.printed).toContain('it waits since an earlier import')
  const [run, ...others] = await service.readAllRuns()
  expect(others).toEqual([])
  expect(await service.download(run as RunDetail, 'holds/shot.txt')).toEqual(Buffer.from('dark'))
})
