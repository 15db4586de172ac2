import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SidecarLine } from './sidecar'
import { SidecarReader } from './sidecar-reader'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-sidecar-reader-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Start of the execution. Times of tests and events are counted from it. */
const START_MS = Date.UTC(2026, 0, 1)

const append = (name: string, text: string) => appendFileSync(path.join(folder, name), text)
const begin = (session: string, file = '/a.test.js'): SidecarLine => ({ session, path: file })
const line = (session: string, message: string, atMs = 100): SidecarLine => ({
  session,
  test: null,
  event: { kind: 'log', message, order: 1, atMs: START_MS + atMs },
})
const write = (name: string, ...lines: SidecarLine[]) =>
  append(name, lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
const messages = (reader: SidecarReader, over: object = {}) =>
  reader.take({ path: '/a.test.js', ...over }).map(({ event }) => 'message' in event && event.message)

test('returns the events of one try of a file once, from any of the sidecar files', () => {
  write('1.jsonl', begin('s1'), line('s1', 'one'), begin('s2', '/b.test.js'), line('s2', 'other'))
  const reader = new SidecarReader(folder)
  expect(messages(reader)).toEqual(['one'])
  expect(messages(reader)).toEqual([])
  write('2.jsonl', begin('s3'), line('s3', 'two'), line('s3', 'three'))
  expect(messages(reader)).toEqual(['two', 'three'])
})

test('waits for the rest of a line that is being written, and skips one that a crash truncated', () => {
  const whole = `${JSON.stringify(line('s1', 'grüße'))}\n`
  const bytes = Buffer.from(whole)
  write('1.jsonl', begin('s1', '/other.js'))
  const reader = new SidecarReader(folder)
  appendFileSync(path.join(folder, '1.jsonl'), bytes.subarray(0, whole.indexOf('ü') + 1))
  expect(messages(reader)).toEqual([])
  appendFileSync(path.join(folder, '1.jsonl'), bytes.subarray(whole.indexOf('ü') + 1))
  append('1.jsonl', '{"session":"s1","test":nu')
  expect(messages(reader, { path: '/other.js' })).toEqual(['grüße'])
})

const inTest = (session: string, message: string, startedAtMs: number): SidecarLine => ({
  ...line(session, message, startedAtMs + 5),
  test: { titles: ['reads'], occurrence: 0, attempt: 1, startedAtMs: START_MS + startedAtMs },
})
const ran = (start: number, end: number, ...tests: { startAt?: number; duration: number | null }[]) => ({
  result: {
    perfStats: { start: START_MS + start, end: START_MS + end },
    testResults: tests.map(({ startAt, duration }) => ({
      ancestorTitles: [],
      title: 'reads',
      status: 'passed',
      duration,
      ...(startAt !== undefined && { startAt: START_MS + startAt }),
    })),
  },
})

test('separates two projects that ran the same path by the times of their tries', () => {
  write('1.jsonl', begin('s1'), line('s1', 'first', 1_000), line('s1', 'first', 1_500))
  write('2.jsonl', begin('s2'), line('s2', 'second', 1_300), line('s2', 'second', 2_400))
  const reader = new SidecarReader(folder)
  expect(messages(reader, ran(950, 1_600))).toEqual(['first', 'first'])
  expect(messages(reader, ran(1_200, 2_500))).toEqual(['second', 'second'])
})

test.each([
  ['30', 1_040, 1_043],
  ['29', undefined, undefined],
])(
  'in Jest %s, separates tries of the same path at the same time by the starts of their tests',
  (_jest, one, two) => {
    const at = (startAt: number | undefined) => ({ duration: 400, ...(startAt !== undefined && { startAt }) })
    write('1.jsonl', begin('s1'), inTest('s1', 'first', 1_040))
    write('2.jsonl', begin('s2'), inTest('s2', 'second', 1_043))
    const reader = new SidecarReader(folder)
    expect(messages(reader, ran(1_000, 1_441, at(one)))).toEqual(['first'])
    expect(messages(reader, ran(1_000, 1_444, at(two)))).toEqual(['second'])
  },
)

test.each([
  ['Jest 30 reports another start of its test', [{ startAt: 1_060, duration: 300 }]],
  ['its test was skipped', [{ duration: null }]],
])('leaves the events of another project to that project: %s', (_case, tests) => {
  write('1.jsonl', begin('s1'), inTest('s1', 'first', 1_040))
  const reader = new SidecarReader(folder)
  expect(messages(reader, { isShared: true, ...ran(1_000, 1_400, ...tests) })).toEqual([])
  const own = ran(1_000, 1_500, { startAt: 1_040, duration: 400 })
  expect(messages(reader, { isShared: true, ...own })).toEqual(['first'])
})

test('the last try counts for a file that ran again because its worker died', () => {
  write('1.jsonl', begin('s1'), line('s1', 'first', 1_000))
  write('2.jsonl', begin('s2'), line('s2', 'again', 2_000))
  const untimed = { result: { testResults: [] } }
  const reader = new SidecarReader(folder)
  expect(messages(reader, { startedAtMs: START_MS + 900, ...untimed })).toEqual(['again'])
})

test('looks for attached files only in the channel folder, and returns nothing when that is gone', () => {
  const file = { kind: 'file', name: 'shot', file: '../../etc/1.png', order: 1, atMs: 1 } as const
  write('1.jsonl', begin('s1'), { session: 's1', test: null, event: file })
  const [received] = new SidecarReader(folder).take({ path: '/a.test.js' })
  expect(received?.event).toEqual({
    kind: 'file',
    name: 'shot',
    path: path.join(folder, '1.png'),
    order: 1,
    atMs: 1,
  })
  expect(new SidecarReader(path.join(folder, 'gone')).take({ path: '/a.test.js' })).toEqual([])
})
