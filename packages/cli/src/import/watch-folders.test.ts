import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchFolders } from './watch-folders'

const ENDINGS = ['xml', 'json']
const WAIT = { timeout: 20_000 }

let folder: string
let stop: AbortController
let watching: Promise<void>
let handedOver: string[]
let isDown: boolean

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runledger-watch-'))
  stop = new AbortController()
  handedOver = []
  isDown = false
})

afterEach(async () => {
  stop.abort()
  await watching
  await rm(folder, { recursive: true, force: true })
})

function watch({ retryMs = 60_000 } = {}): void {
  const handOver = (files: string[]) => {
    handedOver.push(...files.map((file) => path.relative(folder, file)))
    return Promise.resolve(isDown ? files : [])
  }
  watching = watchFolders([folder], handOver, { stop: stop.signal, endings: ENDINGS, lookMs: 20, retryMs })
}

const write = (name: string, text = name) => writeFile(path.join(folder, name), text)
const pause = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs))

it('hands over each file once, and again when it has changed', async () => {
  await mkdir(path.join(folder, 'below/node_modules'), { recursive: true })
  await write('below/a.xml')
  await write('below/node_modules/b.xml')
  await write('UPPER.JSON')
  await write('c.txt')
  await symlink('..', path.join(folder, 'below/up'))
  watch()
  await vi.waitFor(() => expect(handedOver.toSorted()).toEqual(['UPPER.JSON', 'below/a.xml']), WAIT)
  await write('below/a.xml', 'longer than before')
  await vi.waitFor(() => expect(handedOver).toHaveLength(3), WAIT)
  await pause(200)
  expect(handedOver[2]).toBe('below/a.xml')
  expect(handedOver).toHaveLength(3)
})

it('tries again what failed, once for each time that it waited, however often it changed meanwhile', async () => {
  isDown = true
  watch({ retryMs: 400 })
  for (const text of ['1', '22', '333']) {
    await write('a.xml', text)
    await pause(100)
  }
  await vi.waitFor(() => expect(handedOver.length).toBeGreaterThan(2), WAIT)
  handedOver = []
  await pause(1_000)
  expect(handedOver.length).toBeLessThanOrEqual(3)
  isDown = false
  await vi.waitFor(() => expect(handedOver.length).toBeGreaterThan(0), WAIT)
  await pause(500)
  handedOver = []
  await pause(1_000)
  expect(handedOver).toEqual([])
})

it('hands over many files a part at a time', async () => {
  for (let index = 0; index < 120; index += 1) await write(`${index}.xml`)
  const parts: number[] = []
  watching = watchFolders(
    [folder],
    (files) => {
      parts.push(files.length)
      return Promise.resolve([])
    },
    { stop: stop.signal, endings: ENDINGS, lookMs: 20 },
  )
  await vi.waitFor(() => expect(parts).toEqual([50, 50, 20]), WAIT)
})
