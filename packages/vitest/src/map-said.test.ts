import { expect, test } from 'vitest'
import type { TestCase } from './framework-types'
import { mapSaid } from './map-said'

const saying = (...runledger: unknown[]) => ({ meta: () => ({ runledger }) }) as unknown as TestCase
const file = { kind: 'file', name: 'shot', order: 0, atMs: 1 }

test('an attached file is found in the channel’s folder, whatever its name says', () => {
  expect(mapSaid(saying({ ...file, file: '../../1.png', tryIndex: 1 }), '/channel')).toEqual([
    { tryIndex: 1, attachment: { name: 'shot', contentType: undefined, path: '/channel/1.png' } },
  ])
})

test('bytes without a folder are in the meta itself', () => {
  const [mapped] = mapSaid(saying({ ...file, base64: 'AAE=', contentType: 'image/png' }), undefined)
  expect(mapped?.attachment).toEqual({ name: 'shot', contentType: 'image/png', bytes: Buffer.from([0, 1]) })
})

test('a file of another execution’s folder is named in the log', () => {
  const [mapped] = mapSaid(saying({ ...file, file: '1.png' }), undefined)
  expect(mapped?.output?.text).toBe('not attached: shot: its bytes stayed where the test ran')
})

test('whatever else somebody keeps under that name of the meta is left alone', () => {
  expect(mapSaid({ meta: () => ({ runledger: 'mine' }) } as unknown as TestCase, undefined)).toEqual([])
})
