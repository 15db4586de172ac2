import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readChannelFolder } from '../test-side/environment'
import { keepFile } from '../test-side/keep-file'
import { ChannelFolder } from './channel-folder'

const channel = new ChannelFolder()
afterEach(() => channel.remove())

test('is private, announced while it is there, and gone afterwards', () => {
  const folder = channel.open() as string
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readChannelFolder()).toBe(folder)
  channel.remove()
  expect([existsSync(folder), readChannelFolder()]).toEqual([false, undefined])
})

test('is one for all reporters of a process, and goes with the last of them', () => {
  const other = new ChannelFolder()
  const folder = channel.open() as string
  expect(other.open()).toBe(folder)
  channel.remove()
  channel.remove()
  expect(existsSync(folder)).toBe(true)
  other.remove()
  expect(existsSync(folder)).toBe(false)
})

test('takes along what a killed execution left, and leaves alone what a living one has', () => {
  const folder = channel.open() as string
  const prefix = folder.slice(0, -`${process.pid}-123456`.length)
  const [dead, living] = [`${prefix}${2 ** 22 + 1}-abc`, `${prefix}${process.ppid}-abc`]
  for (const each of [dead, living]) mkdirSync(each)
  channel.remove()
  expect([existsSync(dead), existsSync(living)]).toEqual([false, true])
  rmSync(living, { recursive: true })
})

test('keeps bytes under names of its own, and says what cannot be kept', () => {
  const folder = channel.open() as string
  const source = { path: path.join(import.meta.dirname, 'index.ts') }
  const kept = keepFile(folder, { name: '../../x', source })
  expect('file' in kept && existsSync(path.join(folder, kept.file))).toBe(true)
  expect(keepFile(path.join(folder, 'nowhere'), { name: 'x', source })).toMatchObject({
    refusal: expect.stringContaining('ENOENT') as string,
  })
})
