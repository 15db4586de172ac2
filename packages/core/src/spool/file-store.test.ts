import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import * as files from '../util/files'
import { FileStore } from './file-store'

vi.mock(import('../util/files'), { spy: true })

let dir: string
let store: FileStore

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'files-'))
  store = new FileStore(path.join(dir, 'files'))
})

afterEach(async () => {
  vi.resetAllMocks()
  await rm(dir, { recursive: true })
})

const read = ({ file }: { file: string }) => readFile(store.pathOf(file), 'utf8')

it('keeps equal bytes once, and bytes of another kind apart', () => {
  const [first, again, text, other] = [
    store.keepBytes(Buffer.from('a'), '.png'),
    store.keepBytes(Buffer.from('a'), '.png'),
    store.keepBytes(Buffer.from('a'), '.txt'),
    store.keepBytes(Buffer.from('b'), '.png'),
  ]
  expect([first, again, text, other].map(({ file }) => file)).toEqual(['1.png', '1.png', '2.txt', '3.png'])
})

it('copies a file whatever becomes of the original, and only the user can read the copy', async () => {
  const source = path.join(dir, 'video.webm')
  await writeFile(source, 'before', { mode: 0o644 })
  const stored = await store.copy(source)
  await writeFile(source, 'after')
  expect(await read(stored)).toBe('before')
  expect(stored).toMatchObject({ file: '1.webm', sizeBytes: 6 })
  expect((await stat(store.pathOf(stored.file))).mode & 0o777).toBe(0o600)
})

it.each(['.very-long-and-strange-extension', './x', '.a b', ''])(
  'leaves out an extension such as %j',
  (extension) => {
    expect(store.keepBytes(Buffer.from('a'), extension).file).toBe('1')
  },
)

it('leaves nothing of a copy that failed', async () => {
  await expect(store.copy(path.join(dir, 'none.png'))).rejects.toThrow('ENOENT')
  expect(await readdir(store.dir)).toEqual([])
})

it('overwrites nothing that another process left, and syncs it', async () => {
  store.keepBytes(Buffer.from('left'), '.png')
  const next = new FileStore(store.dir)
  await next.adopt()
  expect(next.keepBytes(Buffer.from('new'), '.png').file).toBe('2.png')
  await next.sync()
  const synced = vi.mocked(files.syncFile).mock.calls.map(([file]) => path.basename(file))
  expect(synced.sort()).toEqual(['1.png', '2.png'])
})

it('syncs a copy that was being made during another sync', async () => {
  let [halve, finish] = [() => {}, () => {}]
  const half = new Promise<void>((resolve) => (halve = resolve))
  const rest = new Promise<void>((resolve) => (finish = resolve))
  const copying = store.copy('video.webm', async (to) => {
    await writeFile(to, 'half')
    halve()
    await rest
    await writeFile(to, 'all of it')
    return { sizeBytes: 9, sha256: '' }
  })
  await half
  await store.sync()
  finish()
  await copying
  await store.sync()
  expect(vi.mocked(files.syncFile).mock.calls).toEqual([[store.pathOf('1.webm')]])
})
