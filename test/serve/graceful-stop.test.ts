import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkData } from '../../packages/server/src/upkeep/check-data'
import { REPOSITORY } from '../support/repository'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

let folder: string
let child: ChildProcess
let url: string
let key: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-stop-'))
  child = spawn(process.execPath, [CLI, 'serve', '--json', '--port', '0', '--data', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  url = (JSON.parse(String(line)) as { url: string }).url
  const credentials = await readFile(path.join(folder, 'credentials.json'), 'utf8')
  key = (JSON.parse(credentials) as { api_key: string }).api_key
})

afterEach(async () => {
  child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** A PUT of ten bytes of which five were sent. */
async function beginUpload(): Promise<ClientRequest> {
  const initialized = await fetch(`${url}/v2/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"name": "slow.txt"}',
  })
  const { upload_url } = (await initialized.json()) as { upload_url: string }
  const upload = request(upload_url, { method: 'PUT', headers: { 'content-length': '10' } })
  upload.write('12345')
  const incoming = path.join(folder, 'blobs/incoming')
  await expect.poll(() => readdir(incoming)).toHaveLength(1)
  return upload
}

async function stop(signal: NodeJS.Signals): Promise<{ exit: unknown; seconds: number }> {
  const began = Date.now()
  const exit = once(child, 'exit')
  child.kill(signal)
  return { exit: await exit, seconds: (Date.now() - began) / 1000 }
}

it('lets an upload under way end, says 503 to what comes meanwhile, and ends with 0', async () => {
  const upload = await beginUpload()
  const answered = once(upload, 'response') as Promise<[{ statusCode: number }]>
  const stopped = stop('SIGTERM')
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503)
  const refused = await fetch(`${url}/v2/runs`, { headers: { authorization: `Bearer ${key}` } })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await refused.json()).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The service is shutting down.',
  })
  upload.end('67890')
  const [{ statusCode }] = await answered
  expect(statusCode).toBe(200)
  const { exit, seconds } = await stopped
  expect(exit).toEqual([0, null])
  expect(seconds).toBeLessThan(8)
  expect(await checkData(folder)).toMatchObject({ ok: true, blobs: 1, bytes: 10 })
})

it('ends after ten seconds although an upload hangs, and keeps nothing of it', async () => {
  const upload = await beginUpload()
  const broken = once(upload, 'error')
  const { exit, seconds } = await stop('SIGINT')
  expect(exit).toEqual([0, null])
  expect(seconds).toBeGreaterThan(9)
  expect(seconds).toBeLessThan(14)
  await broken
  expect(await readdir(path.join(folder, 'blobs/incoming'))).toEqual([])
  expect(await checkData(folder)).toMatchObject({ ok: true, blobs: 0, leftover_files: 0 })
})

it('ends at once at a second signal, whichever it is', async () => {
  const upload = await beginUpload()
  upload.on('error', () => undefined)
  const stopped = stop('SIGTERM')
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503)
  child.kill('SIGINT')
  const { exit, seconds } = await stopped
  expect(exit).toEqual([null, 'SIGINT'])
  expect(seconds).toBeLessThan(5)
  expect(await checkData(folder)).toMatchObject({ ok: true })
})
