import { expect, it } from 'vitest'
import { WarningList } from './warning-list'

const listAll = (...runs: string[][]) => {
  const warnings = new WarningList()
  for (const texts of runs) warnings.add(texts)
  return warnings.list()
}

it('counts the runs of a warning in any order', () => {
  const [a, b] = [['line 3 has a'], ['line 9 has a']]
  expect(listAll(a, a, b)).toEqual(['line 3 has a (and 2 more like this)'])
  expect(listAll(a, b, a)).toEqual(['line 3 has a (and 2 more like this)'])
  expect(listAll(['has no place'], ['has no place'])).toEqual(['has no place'])
})

it('joins warnings that differ only in the place of their run', () => {
  const texts = ['row 4.R1 was cut', 'row 5.R2 was cut', 'batch is "LOT 1"', 'batch is "LOT 2"']
  expect(listAll(...texts.map((text) => [text]))).toEqual(texts)
})

it('lists each place of one run', () => {
  const texts = ['line 3.status is wrong', 'line 9.status is wrong']
  expect(listAll(texts)).toEqual(texts)
})

it('counts the warnings that are not listed', () => {
  const warnings = new WarningList()
  warnings.add(['a'], 3)
  warnings.add(['a'], 480)
  expect(warnings.list()).toEqual(['a', '483 more warnings'])
})
