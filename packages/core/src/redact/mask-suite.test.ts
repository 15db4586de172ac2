import { Masker, PatternSearch } from '@runledger/redact'
import { expect, test } from 'vitest'
import type { ErrorDetail } from '../model/error-detail'
import type { Attempt, Suite, SuiteTest } from '../model/suite'
import { maskRecord } from './mask-record'

const known = { inside: [{ text: 'hush', secret: 'hush' }], alone: [] }
const masker = new Masker(known, undefined)

// Whoever adds a field is asked for it here, and masking is asked for it below.
const ERROR: Required<ErrorDetail> = {
  message: 'm',
  stack: 's',
  location: { file: 'f', line: 1, column: 1 },
  expected: 'e',
  actual: 'a',
  diff: 'd',
  snippet: 'p',
}
const ATTEMPT: Required<Attempt> = {
  status: 'passed',
  startedAtMs: 1,
  durationMs: 1,
  worker: 0,
  errors: [ERROR],
  attachments: [{ name: 'a', bytes: Buffer.from('b') }],
  output: [{ stream: 'stdout', text: 'o', atMs: 1, origin: 'file.js:1' }],
  events: [{ kind: 'phase', value: 'p', atMs: 1, order: 1 } as never],
  failsOutside: true,
  failsByInner: true,
}
const PLAIN_ATTEMPT: Attempt = { status: 'passed', errors: [], attachments: [], output: [] }
const TEST: Required<SuiteTest> = {
  titles: ['describe', 'title'],
  outcome: 'passed',
  flaky: false,
  startedAtMs: 1,
  durationMs: 1,
  attempts: [PLAIN_ATTEMPT],
  note: 'note',
  location: { file: 'f', line: 1, column: 1 },
  tags: ['@tag'],
  annotations: [{ type: 'issue', description: 'd' }],
  owner: '@team',
  skipReason: 'reason',
}
const SUITE: Required<Suite> = {
  project: 'p',
  file: 'f',
  startedAtMs: 1,
  durationMs: 1,
  outcome: 'passed',
  tests: [],
  problems: [{ name: 'n', errors: [{ message: 'm' }] }],
  output: [{ stream: 'stderr', text: 't' }],
  attachments: [{ name: 'a', path: '/a' }],
  masked: 0,
  events: [{ kind: 'phase', value: 'p', atMs: 1, order: 1 } as never],
  submissionId: 'id',
}

const without = { note: undefined, problems: [], output: [], attachments: [], events: undefined }
const noFacts = {
  note: undefined,
  location: undefined,
  tags: undefined,
  annotations: undefined,
  owner: undefined,
  skipReason: undefined,
}
const plainTest: SuiteTest = { ...TEST, ...noFacts }
const plainSuite = (tests: SuiteTest[]): Suite => ({ ...SUITE, ...without, tests })

/** The texts of a value, each with what leads to it; not those that masking leaves alone. */
function listPlaces(value: object, place: (string | number)[] = []): (string | number)[][] {
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
    if (typeof each === 'string') return EXACT.includes(key) ? [] : [[...place, key]]
    const isDeeper = typeof each === 'object' && each !== null && !ArrayBuffer.isView(each)
    return isDeeper ? listPlaces(each, [...place, key]) : []
  })
}

const EXACT = ['kind', 'path', 'outcome', 'status', 'stream', 'submissionId']

function put(value: object, place: (string | number)[], text: string): object {
  const copy = structuredClone(value) as Record<string, never>
  const last = place.at(-1) as string
  const holder = place.slice(0, -1).reduce((each, key) => each[key] as never, copy)
  Object.assign(holder, { [last]: text })
  return copy
}

const SUITES: [string, Suite][] = [
  ['a plain test among others', plainSuite([plainTest, plainTest])],
  ['a note', plainSuite([{ ...plainTest, note: 'note' }])],
  ...Object.keys(ATTEMPT).map((field): [string, Suite] => {
    const attempt = { ...PLAIN_ATTEMPT, [field]: ATTEMPT[field as keyof Attempt] }
    return [`${field} of an attempt`, plainSuite([{ ...plainTest, attempts: [attempt] }])]
  }),
  ['a second attempt', plainSuite([{ ...plainTest, attempts: [PLAIN_ATTEMPT, ATTEMPT] }])],
  ['all fields of a test that did not run', plainSuite([{ ...TEST, attempts: [] }])],
  ['all fields of a suite', { ...SUITE, tests: [plainTest] }],
]

test.each(SUITES)('every text is masked, wherever the secret is: %s', (_, suite) => {
  const places = listPlaces(suite)
  expect(places.length).toBeGreaterThan(2)
  for (const place of places) {
    const spoken = put(suite, place, 'a hush b') as Suite
    const found = new Set<string>()
    maskRecord(spoken, masker, (secret) => found.add(secret))
    expect(spoken).toEqual(put(suite, place, 'a *** b'))
    expect([...found]).toEqual(['hush'])
  }
})

test('a suite without secrets is not touched', () => {
  const tests = Object.freeze([Object.freeze(plainTest)]) as unknown as SuiteTest[]
  const note = (): never => expect.fail('nothing is to be found')
  maskRecord(Object.freeze({ ...SUITE, tests }), masker, note)
})

test('patterns of the user are looked for too, once', () => {
  const searched: string[] = []
  class Counting extends PatternSearch {
    override replace(texts: readonly string[], replaceFound: (found: string) => string): string[] {
      searched.push(...texts)
      return super.replace(texts, replaceFound)
    }
  }
  const suite = plainSuite([{ ...plainTest, titles: ['call 555-1234'] }])
  const counting = new Masker(known, new Counting([/\d{3}-\d{4}/g], '***'))
  maskRecord(suite, counting, () => undefined)
  expect(suite.tests[0]?.titles).toEqual(['call ***'])
  expect(searched.filter((text) => text === 'call 555-1234')).toHaveLength(1)
})

test.each(['\0', '\u001B%G', '\u001B-A'])('a secret that only %j in its middle hides is masked', (hidden) => {
  const record = { text: `pass=hu${hidden}sh` }
  maskRecord(record, masker, () => undefined)
  expect(record.text).not.toMatch(/hu.{0,3}sh/)
})
