import fs, { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findTest } from './find-test'
import { appendEvent } from './sidecar'

/** As jest-circus keeps it on the global object of a test file. */
const STATE = Symbol('JEST_STATE_SYMBOL')
const scope = globalThis as { [STATE]?: object }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-sidecar-'))
  const rootDescribeBlock = { type: 'describeBlock', name: 'ROOT', children: [] as object[] }
  const running = { type: 'test', name: 'reads', parent: rootDescribeBlock, invocations: 1 }
  rootDescribeBlock.children.push(running)
  scope[STATE] = { rootDescribeBlock, currentlyRunningTest: running }
})
afterEach(() => {
  vi.restoreAllMocks()
  delete scope[STATE]
  rmSync(folder, { recursive: true })
})

test('a test that watches what we call sees no call of ours, and a mock loses no event', () => {
  const watched = [
    vi.spyOn(JSON, 'stringify').mockReturnValue('mocked'),
    vi.spyOn(fs, 'openSync').mockReturnValue(-1),
    vi.spyOn(fs, 'writeSync').mockReturnValue(0),
    vi.spyOn(path, 'join').mockReturnValue('mocked'),
  ]
  appendEvent(folder, findTest(), { kind: 'log', message: 'kept', order: 1, atMs: 1 })
  const calls = watched.map(({ mock }) => mock.calls.length)
  vi.restoreAllMocks()
  expect(calls).toEqual([0, 0, 0, 0])
  const [name = ''] = readdirSync(folder)
  const [begin, line] = readFileSync(path.join(folder, name), 'utf8').trim().split('\n')
  expect(JSON.parse(begin ?? '')).toMatchObject({ session: expect.any(String) })
  expect(JSON.parse(line ?? '')).toMatchObject({ test: { titles: ['reads'] }, event: { message: 'kept' } })
})
