import crypto from 'node:crypto'
import fs, { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { ChannelFolder } from './channel-folder'
import { copyAttachment, readChannelFolder } from './test-side/channel'
import { readAttachment } from './test-side/check-arguments'

const channel = new ChannelFolder()
afterEach(() => channel.remove())

test('is private, announced while it exists, and removed afterwards', () => {
  const folder = channel.open() as string
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readChannelFolder()).toBe(folder)
  channel.remove()
  expect([existsSync(folder), readChannelFolder()]).toEqual([false, undefined])
})

test('is shared by all reporters of a process, and removed by the last of them', () => {
  const other = new ChannelFolder()
  const folder = channel.open() as string
  expect(other.open()).toBe(folder)
  channel.remove()
  channel.remove()
  expect(existsSync(folder)).toBe(true)
  other.remove()
  expect(existsSync(folder)).toBe(false)
})

test('removes the folders of killed executions, and leaves those of running ones alone', () => {
  const folder = channel.open() as string
  const prefix = folder.slice(0, -`${process.pid}-123456`.length)
  const deadPid = 2 ** 22 + 1
  const [dead, living] = [`${prefix}${deadPid}-abc`, `${prefix}${process.ppid}-abc`]
  const ofOthers = `${prefix}${deadPid}-open`
  // An execution that failed may have left them.
  for (const each of [dead, living, ofOthers]) mkdirSync(each, { recursive: true })
  if (process.platform !== 'win32') chmodSync(ofOthers, 0o777)
  channel.remove()
  expect([existsSync(dead), existsSync(living)]).toEqual([false, true])
  if (process.platform !== 'win32') expect(existsSync(ofOthers)).toBe(true)
  for (const each of [living, ofOthers]) rmSync(each, { recursive: true, force: true })
})

test('takes copies under names of its own, and returns why a file cannot be copied', () => {
  const folder = channel.open() as string
  const source = { path: path.join(import.meta.dirname, 'index.ts') }
  const copied = copyAttachment(folder, { name: '../../x', source })
  expect('file' in copied && existsSync(path.join(folder, copied.file))).toBe(true)
  expect(copyAttachment(path.join(folder, 'nowhere'), { name: 'x', source })).toMatchObject({
    refusal: expect.stringContaining('ENOENT') as string,
  })
})

test('a test that watches what we call sees no call of ours', () => {
  const folder = channel.open() as string
  const watched = [
    vi.spyOn(fs, 'statSync'),
    vi.spyOn(fs, 'copyFileSync'),
    vi.spyOn(fs, 'writeFileSync'),
    vi.spyOn(crypto, 'randomUUID'),
  ]
  const [file, bytes] = [{ path: path.join(import.meta.dirname, 'index.ts') }, { body: 'x' }]
  for (const options of [file, bytes]) copyAttachment(folder, readAttachment('x', options))
  const calls = watched.map(({ mock }) => mock.calls.length)
  vi.restoreAllMocks()
  expect(calls).toEqual([0, 0, 0, 0])
  expect(fs.readdirSync(folder)).toHaveLength(2)
})
