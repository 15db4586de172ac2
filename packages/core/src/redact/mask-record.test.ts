import { Masker } from '@runledger/redact'
import { expect, test } from 'vitest'
import { maskRecord } from './mask-record'

const masker = new Masker({ inside: [{ text: 'hush', secret: 'hush' }], alone: [] }, undefined)

test('every text is masked where it is, however deep, but for those that must be found again', () => {
  const create = (said: string) => ({
    name: `${said} 1`,
    path: '/tmp/hush',
    tests: [
      { titles: [`${said} 2`, `${said} 3`], note: undefined, attempts: [{ errors: [], status: 'hush' }] },
      { titles: [`${said} 4`], attempts: [{ errors: [{ message: `${said} 5`, stack: `${said} 6` }] }] },
    ],
    lists: [[`${said} 7`, [`${said} 8`]], [], [{ deep: { deeper: `${said} 9` } }]],
    last: { text: `${said} 10`, count: 3, none: null },
  })
  const record = create('hush')
  maskRecord(record, masker, () => undefined)
  expect(record).toEqual(create('***'))
})

test('a list of texts that others hold too is left to them; every other thing stays what it was', () => {
  const titles = ['hush']
  const [test1, bytes] = [{ titles }, Buffer.from('hush')]
  const tests = [test1]
  const record = { tests, bytes }
  maskRecord(record, masker, () => undefined)
  expect(record.tests).toBe(tests)
  expect(record.tests[0]).toBe(test1)
  expect(test1.titles).toEqual(['***'])
  expect(titles).toEqual(['hush'])
  expect(record.bytes).toEqual(Buffer.from('hush'))
})

test('nothing is written where there is nothing to mask, nor into lists that others hold', () => {
  const outer = [['hush']]
  const objects = Object.freeze([{ text: 'hush' }])
  const record = { outer, objects: Object.freeze({ objects }) }
  maskRecord(record, masker, () => undefined)
  expect(record).toEqual({ outer: [['***']], objects: { objects: [{ text: '***' }] } })
  expect(outer).toEqual([['hush']])
})

test('a record without secrets is not touched', () => {
  const titles = ['plain']
  const record = Object.freeze({ titles, deep: Object.freeze({ text: 'plain' }) })
  maskRecord(record, masker, () => undefined)
  expect(record.titles).toBe(titles)
})
