import type { TestResult } from '@playwright/test/reporter'
import { expect, test } from 'vitest'
import { TEST_API_MEDIA_TYPE } from './channel'
import { mapEvents } from './map-events'

const log = (message: string) => ({ kind: 'log', message, order: 0, atMs: 1 })
const bundle = (body: string) => ({
  name: 'runledger',
  contentType: TEST_API_MEDIA_TYPE,
  body: Buffer.from(body),
})
const [inHook, inTest] = [bundle(JSON.stringify([log('hook')])), bundle(JSON.stringify([log('a'), log('b')]))]
const shot = { name: 'shot', contentType: 'image/png', body: Buffer.from('[]') }

test('bundles of an attempt are its events; those of a beforeAll hook belong to the suite', () => {
  const hook = { category: 'hook', title: 'beforeAll hook', attachments: [inHook], steps: [] }
  const steps = [{ category: 'hook', title: 'Before Hooks', attachments: [], steps: [hook] }]
  const result = { attachments: [inHook, shot, inTest], steps } as unknown as TestResult
  expect(mapEvents(result)).toEqual({ own: [log('a'), log('b')], ofSuite: [log('hook')] })
})

test('events of a step inside a hook of the file belong to the suite too', () => {
  const inside = { category: 'test.step', title: 'warm up', attachments: [inHook], steps: [] }
  const steps = [{ category: 'hook', title: 'afterAll hook', attachments: [], steps: [inside] }]
  const result = { attachments: [inTest, inHook], steps } as unknown as TestResult
  expect(mapEvents(result)).toEqual({ own: [log('a'), log('b')], ofSuite: [log('hook')] })
})

test.each([
  ['a step of the test', 'test.step', 'measure'],
  ['a step that is only named like a hook', 'test.step', 'beforeAll hook'],
  ['a hook of each test', 'hook', 'beforeEach hook'],
  ['a hook of each test whose title begins like another', 'hook', 'beforeAll hook, undone'],
  ['a hook of each test whose title ends like another', 'hook', 'undo the beforeAll hook'],
])('what %s recorded belongs to the attempt', (_, category, title) => {
  const steps = [{ category, title, attachments: [inTest], steps: [] }]
  const result = { attachments: [inTest], steps } as unknown as TestResult
  expect(mapEvents(result)).toEqual({ own: [log('a'), log('b')], ofSuite: [] })
})

test('before 1.50, which has no attachments of steps, everything belongs to the attempt', () => {
  const steps = [{ category: 'hook', title: 'beforeAll hook', steps: [] }]
  const result = { attachments: [inHook, inTest], steps } as unknown as TestResult
  expect(mapEvents(result).own).toHaveLength(3)
})

test('a foreign attachment of our media type is ignored', () => {
  const result = { attachments: [bundle('nonsense'), bundle('{}')], steps: [] } as unknown as TestResult
  expect(mapEvents(result)).toEqual({ own: [], ofSuite: [] })
})

test('a bundle may have any number of events', () => {
  const many = bundle(JSON.stringify(Array.from({ length: 150_000 }, () => log('x'))))
  const result = { attachments: [many], steps: [] } as unknown as TestResult
  expect(mapEvents(result).own).toHaveLength(150_000)
})
