import type { TestResult } from '@playwright/test/reporter'
import { expect, test } from 'vitest'
import { mapAttachments } from './map-attachments'
import { readAnnotations, readAttachments, readStart, readWorker } from './read-result'

const read = (...attachments: unknown[]) => readAttachments({ attachments } as unknown as TestResult)

test('an attachment without a name is named after its file', () => {
  const nameless = { path: '/project/shot.png' }
  expect(mapAttachments(read(nameless), new Map())).toEqual([{ name: 'shot.png', path: '/project/shot.png' }])
})

test('an attachment keeps its identity, and one that cannot be read is left out', () => {
  const shot = { name: 'shot', path: '/project/shot.png', contentType: 'image/png' }
  const unreadable = [null, 'shot', { name: 7 }, { name: 'a', path: null }, { name: 'a', body: 'text' }]
  expect(read(...unreadable, shot)).toEqual([shot])
  expect(read(shot)[0]).toBe(shot)
  expect(readAttachments({ attachments: null } as unknown as TestResult)).toEqual([])
})

test('a start is a date, and none of a clock that was set to zero', () => {
  const startTime = new Date(Date.UTC(2026, 0, 1))
  expect(readStart({ startTime })).toBe(startTime.getTime())
  for (const other of [new Date(5), new Date(NaN), null, undefined, 'now'])
    expect(readStart({ startTime: other as unknown as Date })).toBeUndefined()
})

test('a worker is a number from 0 on, as large as a service takes', () => {
  const workers = [0, 7, 1_000_000_000, -1, 1_000_000_001, 1.5, NaN, '3', null]
  expect(workers.map((workerIndex) => readWorker({ workerIndex: workerIndex as number }))).toEqual([
    0,
    7,
    1_000_000_000,
    ...Array.from({ length: 6 }, () => undefined),
  ])
})

test('annotations without a type are ignored, as is a value that is not a list', () => {
  const annotations = [
    { type: 'issue', description: 7 },
    { description: 'x' },
    null,
    { type: 'slow', description: 'x' },
  ]
  expect(readAnnotations({ annotations } as never)).toEqual([
    { type: 'issue', description: undefined },
    { type: 'slow', description: 'x' },
  ])
  expect(readAnnotations({ annotations: null } as never)).toBeUndefined()
})
