import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SidecarLine } from './sidecar'
import { SaidReader } from './said-reader'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-said-reader-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const append = (name: string, text: string) => appendFileSync(path.join(folder, name), text)
const begin = (session: string, file = '/a.test.js'): SidecarLine => ({ session, path: file })
const line = (session: string, message: string, atMs = 100): SidecarLine => ({
  session,
  test: null,
  said: { kind: 'log', message, order: 1, atMs },
})
const write = (name: string, ...lines: SidecarLine[]) =>
  append(name, lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
const messages = (reader: SaidReader, over: object = {}) =>
  reader.take({ path: '/a.test.js', ...over }).map(({ said }) => 'message' in said && said.message)

test('answers what was said in one run of a file, once, however many workers wrote', () => {
  write('1.jsonl', begin('s1'), line('s1', 'one'), begin('s2', '/b.test.js'), line('s2', 'other'))
  const reader = new SaidReader(folder)
  expect(messages(reader)).toEqual(['one'])
  expect(messages(reader)).toEqual([])
  write('2.jsonl', begin('s3'), line('s3', 'two'), line('s3', 'three'))
  expect(messages(reader)).toEqual(['two', 'three'])
})

test('waits for the rest of a line that is being written, and leaves out what a crash cut off', () => {
  const whole = `${JSON.stringify(line('s1', 'grüße'))}\n`
  const bytes = Buffer.from(whole)
  write('1.jsonl', begin('s1', '/other.js'))
  const reader = new SaidReader(folder)
  appendFileSync(path.join(folder, '1.jsonl'), bytes.subarray(0, whole.indexOf('ü') + 1))
  expect(messages(reader)).toEqual([])
  appendFileSync(path.join(folder, '1.jsonl'), bytes.subarray(whole.indexOf('ü') + 1))
  append('1.jsonl', '{"session":"s1","test":nu')
  expect(messages(reader, { path: '/other.js' })).toEqual(['grüße'])
})

const inTest = (session: string, message: string, startedAtMs: number): SidecarLine => ({
  ...line(session, message, startedAtMs + 5),
  test: { titles: ['reads'], occurrence: 0, attempt: 1, startedAtMs },
})
const ran = (start: number, end: number, ...tests: { startAt?: number; duration: number | null }[]) => ({
  result: {
    perfStats: { start, end },
    testResults: tests.map((each) => ({ ancestorTitles: [], title: 'reads', status: 'passed', ...each })),
  },
})

test('tells the same path in two projects apart by when each ran', () => {
  write('1.jsonl', begin('s1'), line('s1', 'first', 1_000), line('s1', 'first', 1_500))
  write('2.jsonl', begin('s2'), line('s2', 'second', 1_300), line('s2', 'second', 2_400))
  const reader = new SaidReader(folder)
  expect(messages(reader, ran(950, 1_600))).toEqual(['first', 'first'])
  expect(messages(reader, ran(1_200, 2_500))).toEqual(['second', 'second'])
})

test.each([
  ['30', 1_040, 1_043],
  ['29', undefined, undefined],
])('tells them apart in Jest %s when they ran side by side, by when their tests began', (_jest, one, two) => {
  const at = (startAt: number | undefined) => ({ duration: 400, ...(startAt !== undefined && { startAt }) })
  write('1.jsonl', begin('s1'), inTest('s1', 'first', 1_040))
  write('2.jsonl', begin('s2'), inTest('s2', 'second', 1_043))
  const reader = new SaidReader(folder)
  expect(messages(reader, ran(1_000, 1_441, at(one)))).toEqual(['first'])
  expect(messages(reader, ran(1_000, 1_444, at(two)))).toEqual(['second'])
})

test.each([
  ['Jest 30 tells when its test began', [{ startAt: 1_060, duration: 300 }]],
  ['its test was skipped', [{ duration: null }]],
])('leaves what another project still says to that: %s', (_case, tests) => {
  write('1.jsonl', begin('s1'), inTest('s1', 'first', 1_040))
  const reader = new SaidReader(folder)
  expect(messages(reader, { isShared: true, ...ran(1_000, 1_400, ...tests) })).toEqual([])
  const own = ran(1_000, 1_500, { startAt: 1_040, duration: 400 })
  expect(messages(reader, { isShared: true, ...own })).toEqual(['first'])
})

test('of a file that ran again where its worker had died the last try counts', () => {
  write('1.jsonl', begin('s1'), line('s1', 'first', 1_000))
  write('2.jsonl', begin('s2'), line('s2', 'again', 2_000))
  expect(messages(new SaidReader(folder), { startedAtMs: 900, ...ran(0, 0) })).toEqual(['again'])
})

test('finds files that were attached in the folder alone, and nothing where the folder is gone', () => {
  const file = { kind: 'file', name: 'shot', file: '../../etc/1.png', order: 1, atMs: 1 } as const
  write('1.jsonl', begin('s1'), { session: 's1', test: null, said: file })
  const [placed] = new SaidReader(folder).take({ path: '/a.test.js' })
  expect(placed?.said).toEqual({
    kind: 'file',
    name: 'shot',
    path: path.join(folder, '1.png'),
    order: 1,
    atMs: 1,
  })
  expect(new SaidReader(path.join(folder, 'gone')).take({ path: '/a.test.js' })).toEqual([])
})
