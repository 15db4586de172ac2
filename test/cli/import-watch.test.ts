import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
const WAIT = { timeout: 60_000, interval: 100 }

let service: Service
let folder: string
let watcher: ChildProcess | undefined
let printed: string

beforeEach(async () => {
  service = await startService()
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-watch-'))
  await mkdir(path.join(folder, 'results/node_modules'), { recursive: true })
  printed = ''
})
afterEach(async () => {
  watcher?.kill('SIGKILL')
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

const suite = (name: string) => `<testsuite name="${name}"><testcase name="holds" time="1"/></testsuite>`
const fileAt = (name: string) => path.join(folder, 'results', name)

/** Starts it, and waits until it watches. */
async function watch(): Promise<void> {
  const child = spawn(process.execPath, [CLI, 'import', '--watch', 'results'], {
    cwd: folder,
    env: {
      ...process.env,
      XDG_STATE_HOME: path.join(folder, 'state'),
      RUNLEDGER_URL: service.url,
      RUNLEDGER_API_KEY: service.apiKey,
      RUNLEDGER_PROCEDURE_ID: service.procedureId,
    },
  })
  watcher = child
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  await vi.waitFor(() => expect(printed).toContain('Watching results'), WAIT)
}

const listFiles = async () => (await service.readAllRuns()).map(({ metadata }) => metadata['file']).toSorted()

test('puts on record what is there, what comes and what changes, each once', async () => {
  await writeFile(fileAt('lamp.xml'), suite('lamp'))
  await writeFile(fileAt('node_modules/other.xml'), suite('other'))
  await watch()
  await vi.waitFor(async () => expect(await listFiles()).toEqual(['lamp']), WAIT)
  await mkdir(fileAt('below'))
  await writeFile(fileAt('below/bulb.xml'), suite('bulb'))
  await rename(fileAt('lamp.xml'), fileAt('same-lamp.xml'))
  await writeFile(fileAt('notes.txt'), suite('notes'))
  await vi.waitFor(async () => expect(await listFiles()).toEqual(['bulb', 'lamp']), WAIT)
  await writeFile(fileAt('below/bulb.xml'), suite('new-bulb'))
  await vi.waitFor(async () => expect(await listFiles()).toEqual(['bulb', 'lamp', 'new-bulb']), WAIT)
  await vi.waitFor(() => expect(printed).toContain('already on record  results/same-lamp.xml'), WAIT)
  watcher?.kill('SIGINT')
  expect(await once(watcher as ChildProcess, 'exit')).toEqual([0, null])
})

test('waits until a file is written, and goes on after one that cannot be read', async () => {
  await watch()
  const whole = suite('slow')
  await writeFile(fileAt('slow.xml'), '')
  for (const character of whole.slice(0, 40)) {
    await appendFile(fileAt('slow.xml'), character)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await appendFile(fileAt('slow.xml'), whole.slice(40))
  await writeFile(fileAt('broken.xml'), '<testsuite')
  await vi.waitFor(async () => expect(await listFiles()).toEqual(['slow']), WAIT)
  await vi.waitFor(() => expect(printed).toMatch(/results\/broken\.xml: /), WAIT)
  expect(printed).not.toMatch(/results\/slow\.xml: /)
  await writeFile(fileAt('broken.xml'), suite('mended'))
  await vi.waitFor(async () => expect(await listFiles()).toEqual(['mended', 'slow']), WAIT)
})

test('names an argument that is not a folder', async () => {
  await writeFile(fileAt('lamp.xml'), suite('lamp'))
  const child = spawn(process.execPath, [CLI, 'import', '--watch', 'results/lamp.xml'], {
    cwd: folder,
    env: { ...process.env, RUNLEDGER_PROCEDURE_ID: 'FVT1' },
  })
  let told = ''
  child.stderr.on('data', (chunk) => (told += chunk))
  expect(await once(child, 'close')).toEqual([2, null])
  expect(told).toContain('--watch takes folders, and results/lamp.xml is not a folder')
})
