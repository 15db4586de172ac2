import { expect, test } from 'vitest'
import type { TestAnnotation, TestCase } from './framework-types'
import { LiveNotes } from './module-notes'

/** A test with this state and retry count; without a count it has not begun. */
const testCase = (state: string, retryCount?: number, repeats = 0) =>
  ({
    options: { repeats },
    result: () => ({ state }),
    diagnostic: () => (retryCount === undefined ? undefined : { retryCount }),
  }) as unknown as TestCase

function noteAttempt(recordedBy: TestCase): number | undefined {
  const notes = new LiveNotes(() => 0)
  const annotation: TestAnnotation = { type: 'notice', message: 'reading' }
  notes.addRecorded(recordedBy, annotation)
  return notes.readAttemptIndex(annotation)
}

test('the record of a running test belongs to the attempt of its retry count', () => {
  expect(noteAttempt(testCase('pending', 0))).toBe(0)
  expect(noteAttempt(testCase('pending', 2))).toBe(2)
})

test('the attempt is not known of a test that has ended, has not begun or is repeated', () => {
  expect(noteAttempt(testCase('passed', 2))).toBeUndefined()
  expect(noteAttempt(testCase('pending'))).toBeUndefined()
  expect(noteAttempt(testCase('pending', 2, 3))).toBeUndefined()
})

test('a module has the time at which it was first reported, and that of its first end', () => {
  let nowMs = 10
  const notes = new LiveNotes(() => nowMs++)
  expect(notes.readTimes('a')).toBeUndefined()
  notes.startModule('a')
  notes.startModule('a')
  expect(notes.readTimes('a')).toEqual({ startedAtMs: 10 })
  notes.endModule('a')
  notes.endModule('a')
  expect(notes.readTimes('a')).toEqual({ startedAtMs: 10, endedAtMs: 11 })
})

test('output is kept apart for each test or module', () => {
  const notes = new LiveNotes(() => 0)
  const write = (content: string, taskId?: string) =>
    notes.addOutput({ type: 'stdout', content, time: 1, size: 1, ...(taskId && { taskId }) })
  write('from a', 'a')
  write('from nowhere')
  write('from b', 'b')
  expect(['a', 'b', 'c'].map((id) => notes.readOutput(id).map(({ text }) => text))).toEqual([
    ['from a'],
    ['from b'],
    [],
  ])
})
