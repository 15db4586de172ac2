import { expect, test } from 'vitest'
import type { TestArtifact, TestAttempt, TestCase } from './framework-types'
import { mapRecorded } from './map-annotations'
import { mapAttempts } from './map-attempts'
import { readTest } from './module-entities'
import { LiveNotes } from './module-notes'

interface Recorded {
  artifacts?: object[]
  annotations?: object[]
  meta?: object
  attempts?: Partial<TestAttempt>[]
}

const createTestCase = ({ artifacts = [], annotations = [], meta = {}, attempts = [] }: Recorded) =>
  ({
    id: 'id',
    options: {},
    project: { config: { root: '/project' } },
    result: () => ({ state: 'failed' }),
    diagnostic: () => undefined,
    meta: () => meta,
    artifacts: () => artifacts as TestArtifact[],
    annotations: () => annotations,
    attempts: () => attempts.map((each) => ({ errors: [], startTime: 1, duration: 1, ...each })),
  }) as unknown as TestCase
const notes = new LiveNotes(() => 0)
const screenshot = (file: string) => ({
  type: 'internal:failureScreenshot',
  attachments: [{ path: file, originalPath: `/far/${file}` }],
})
const namesOf = (testCase: TestCase) =>
  mapAttempts(readTest(testCase), { notes, rootDir: '/project' }).map(({ attachments }) =>
    attachments.map(({ name }) => name),
  )

test('each failure screenshot goes to the next failed attempt, other artifacts to the last', () => {
  const attempts = (['failed', 'passed', 'failed', 'passed'] as const).map((state) => ({ state }))
  const artifacts = [
    screenshot('first.png'),
    { type: 'internal:failureScreenshot', attachments: [] },
    { type: 'scope', attachments: [{ path: 'wave.csv' }] },
    screenshot('second.png'),
    { type: 'number' },
  ]
  expect(namesOf(createTestCase({ artifacts, attempts }))).toEqual([
    ['first.png'],
    [],
    ['second.png'],
    ['wave.csv'],
  ])
})

test('each of three failed attempts has its own failure screenshot', () => {
  const attempts = (['failed', 'failed', 'failed'] as const).map((state) => ({ state }))
  const artifacts = ['first.png', 'second.png', 'third.png'].map(screenshot)
  expect(namesOf(createTestCase({ artifacts, attempts }))).toEqual([
    ['first.png'],
    ['second.png'],
    ['third.png'],
  ])
})

test('the screenshot of Vitest 3 goes to the last failed attempt', () => {
  const attempts = (['failed', 'failed', 'passed'] as const).map((state) => ({ state }))
  const meta = { failScreenshotPath: 'shots/last.png' }
  expect(namesOf(createTestCase({ meta, attempts }))).toEqual([[], ['last.png'], []])
  expect(mapRecorded(createTestCase({ meta }), notes)).toEqual([
    { failureIndex: -1, attachment: { name: 'last.png', path: '/project/shots/last.png' } },
  ])
  expect(mapRecorded(createTestCase({ meta: { failScreenshotPath: 7 } }), notes)).toEqual([])
})

test.each([
  [{ body: new Uint8Array([97]) }, [97]],
  [{ body: 'YQ==' }, [97]],
  [{ body: 'é', bodyEncoding: 'utf-8' }, [0xc3, 0xa9]],
])('a body %j is read back', (attachment, bytes) => {
  const [mapped] = mapRecorded(
    createTestCase({ artifacts: [{ type: 'x', attachments: [attachment] }] }),
    notes,
  )
  expect(mapped?.attachment).toMatchObject({ name: 'x' })
  const read = mapped?.attachment
  expect(read && 'bytes' in read ? [...read.bytes] : read).toEqual(bytes)
})

test.each([{ body: 'YQundefined' }, {}])(
  'an attachment %j that cannot be decoded is reported in the log',
  (one) => {
    expect(
      mapRecorded(createTestCase({ artifacts: [{ type: 'x', attachments: [one] }] }), notes),
    ).toMatchObject([
      { output: { stream: 'stderr', text: expect.stringContaining('not attached: x') as string } },
    ])
  },
)

test('an annotation without an attachment is a line of the log', () => {
  expect(mapRecorded(createTestCase({ annotations: [{ message: 'm', type: 'notice' }] }), notes)).toEqual([
    { output: { stream: 'stdout', text: '[notice] m' } },
  ])
})

test('invalid annotations and artifacts are ignored', () => {
  const others = ['text', null, 7] as unknown as object[]
  expect(mapRecorded(createTestCase({ annotations: others, artifacts: others }), notes)).toEqual([])
})

test('a web address is a line of the log and nothing else', () => {
  const annotation = { message: 'manual', type: 'notice', attachment: { path: 'https://example.com/a.pdf' } }
  expect(mapRecorded(createTestCase({ annotations: [annotation] }), notes)).toEqual([
    { output: { stream: 'stdout', text: '[notice] manual https://example.com/a.pdf' } },
  ])
})
