import { expect, test } from 'vitest'
import type { TestCase } from './framework-types'
import { mapEvents } from './map-events'

const withEvents = (...runledger: unknown[]) => ({ meta: () => ({ runledger }) }) as unknown as TestCase
const file = { kind: 'file', name: 'shot', order: 0, atMs: 1 }

test('an attached file is looked for only in the channel’s folder', () => {
  expect(mapEvents(withEvents({ ...file, file: '../../1.png', attemptIndex: 1 }), '/channel')).toEqual([
    { attemptIndex: 1, attachment: { name: 'shot', contentType: undefined, path: '/channel/1.png' } },
  ])
})

test('without a folder, bytes are in the meta itself', () => {
  const [mapped] = mapEvents(withEvents({ ...file, base64: 'AAE=', contentType: 'image/png' }), undefined)
  expect(mapped?.attachment).toEqual({ name: 'shot', contentType: 'image/png', bytes: Buffer.from([0, 1]) })
})

test('a file from another execution’s folder is named in the log', () => {
  const [mapped] = mapEvents(withEvents({ ...file, file: '1.png' }), undefined)
  const text = 'not attached: shot: its bytes stayed where the test ran'
  expect(mapped).toEqual({ output: { stream: 'stderr', text } })
  // Tests can write to their meta too, and leave the file out.
  expect(mapEvents(withEvents(file), '/channel')).toEqual([{ output: { stream: 'stderr', text } }])
})

test('a value in the list that is not ours is named in the log', () => {
  expect(mapEvents(withEvents({ kind: 'mine' }, 'text'), '/channel')).toEqual([
    {
      output: {
        stream: 'stderr',
        text: expect.stringMatching(/^not on record: .*\{ kind: 'mine' \}$/) as string,
      },
    },
    { output: { stream: 'stderr', text: expect.stringMatching(/^not on record: .*'text'$/) as string } },
  ])
})

test('other data under the same key of the meta is ignored', () => {
  expect(mapEvents({ meta: () => ({ runledger: 'mine' }) } as unknown as TestCase, undefined)).toEqual([])
})
