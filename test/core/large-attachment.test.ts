import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onlyIf } from '../support/only-if'
import { runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

const SIZE_BYTES = 300 * 1024 * 1024
// V8 begins to collect buffers outside its heap, step by step, when 64 MiB of them have gathered; a process that gets little
// CPU may pass that.
const ALLOWED_GROWTH_BYTES = 100 * 1024 * 1024

let service: Service
let folder: string

beforeAll(async () => {
  service = await startService({ args: ['--max-attachment-bytes', String(SIZE_BYTES)] })
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-large-'))
})

afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Bytes that differ from block to block, so that a lost or repeated block shows. */
async function writeLargeFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  const stream = createWriteStream(file)
  for (let block = 0; block < SIZE_BYTES / 1024 / 1024; block += 1) {
    const bytes = Buffer.alloc(1024 * 1024, createHash('sha256').update(String(block)).digest())
    hash.update(bytes)
    if (!stream.write(bytes)) await new Promise<void>((resolve) => stream.once('drain', () => resolve()))
  }
  await new Promise<void>((resolve) => stream.end(() => resolve()))
  return hash.digest('hex')
}

/** Peak resident memory of a process so far, in bytes (Linux). */
async function readPeakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

const script = (sizes: { small: string; large: string }) => `
  import { readFileSync } from 'node:fs'
  import { createExecution } from ${JSON.stringify(pathToFileURL(path.join(REPOSITORY, 'packages/core/dist/index.js')).href)}
  const peak = () => Number(/VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024
  const record = async (file) => {
    const execution = createExecution(
      { framework: 'playwright', frameworkVersion: '1', rootDir: process.cwd(), startedAtMs: Date.now() },
      { maxAttachmentBytes: ${SIZE_BYTES} })
    execution.addSuite({ project: '', file: 'a.spec.ts', startedAtMs: Date.now(), durationMs: 1, outcome: 'passed',
      problems: [], output: [], attachments: [{ name: 'video', path: file }], tests: [{ titles: ['t'], outcome: 'passed',
      flaky: false, startedAtMs: Date.now(), durationMs: 1,
      attempts: [{ status: 'passed', errors: [], attachments: [], output: [] }] }] })
    const result = await execution.finish()
    if (result.status !== 'uploaded' || result.notUploaded.length > 0) throw new Error(JSON.stringify(result))
    return result.url
  }
  await record(${JSON.stringify(sizes.small)})
  const before = peak()
  const url = await record(${JSON.stringify(sizes.large)})
  console.log(JSON.stringify({ url, grownBytes: peak() - before }))
`

it(
  'sends a 300 MB attachment whole while neither side’s memory grows by more than 100 MB',
  onlyIf(process.platform === 'linux', 'only Linux tells the memory of a process'),
  async () => {
    const files = { small: path.join(folder, 'small.webm'), large: path.join(folder, 'large.webm') }
    await writeFile(files.small, 'warm')
    const digest = await writeLargeFile(files.large)
    await writeFile(path.join(folder, 'send.mjs'), script(files))
    const serviceBefore = await readPeakBytes(service.pid)
    const sent = await runCommand(process.execPath, [path.join(folder, 'send.mjs')], { dir: folder, service })
    expect(sent.exitCode, sent.stderr).toBe(0)
    const { url, grownBytes } = JSON.parse(sent.stdout) as { url: string; grownBytes: number }
    const serviceGrownBytes = (await readPeakBytes(service.pid)) - serviceBefore
    console.log(
      `300 MB attachment: core grew by ${toMb(grownBytes)} MB, service by ${toMb(serviceGrownBytes)} MB`,
    )
    expect(grownBytes).toBeLessThan(ALLOWED_GROWTH_BYTES)
    expect(serviceGrownBytes).toBeLessThan(ALLOWED_GROWTH_BYTES)

    const run = await service.readRun(url.split('/').at(-1) as string)
    const attachment = run.attachments.find(({ name }) => name === 'video.webm')
    expect(attachment?.size).toBe(SIZE_BYTES)
    expect(await digestOf(attachment?.download_url as string)).toBe(digest)
    expect((await readPeakBytes(service.pid)) - serviceBefore).toBeLessThan(ALLOWED_GROWTH_BYTES)
  },
)

async function digestOf(url: string): Promise<string> {
  const hash = createHash('sha256')
  const response = await fetch(url)
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) hash.update(chunk)
  return hash.digest('hex')
}

function toMb(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}
