import { describe, expect, it } from 'vitest'
import { MAX_STEP_NAME_LENGTH } from '@runledger/protocol'
import { cleanName } from '../util/text'
import { formatStepName, UniqueNames } from './step-name'

describe('cleanName', () => {
  it.each([
    ['plain', 'plain'],
    ['', '(unnamed)'],
    ['   ', '(unnamed)'],
    ['two\nlines\tand tab', 'two lines and tab'],
    ['nul\u0000 and bell\u0007', 'nul and bell'],
    ['\u001b[31mred\u001b[39m', 'red'],
    ['lone \ud83d surrogate', 'lone \ufffd surrogate'],
    ['emoji 😀 stays', 'emoji 😀 stays'],
    ['C1 \u0085 control', 'C1 control'],
  ])('makes %j %j', (title, name) => {
    expect(cleanName(title)).toBe(name)
  })
})

describe('formatStepName', () => {
  it('joins describe titles and test title', () => {
    expect(formatStepName(['outer', 'inner', 'works'])).toBe('outer › inner › works')
    expect(formatStepName([])).toBe('(unnamed)')
  })

  it('cuts at the documented length without halving a character', () => {
    for (let pad = 0; pad < 4; pad += 1) {
      const name = formatStepName([`${'a'.repeat(MAX_STEP_NAME_LENGTH - 5 + pad)}${'😀'.repeat(9)}`])
      expect(name.length).toBeLessThanOrEqual(MAX_STEP_NAME_LENGTH)
      expect(name.isWellFormed()).toBe(true)
      expect(name.endsWith('…')).toBe(true)
    }
  })
})

describe('a name of the greatest length', () => {
  it('stays whole', () => {
    const name = 'a'.repeat(MAX_STEP_NAME_LENGTH)
    expect(formatStepName([name])).toBe(name)
  })
})

describe('UniqueNames', () => {
  it('passes over numbers that are names already', () => {
    const names = new UniqueNames()
    expect(['a', 'a (2)', 'a'].map((name) => names.take(name))).toEqual(['a', 'a (2)', 'a (3)'])
  })

  it('numbers equal names and never gives one out twice', () => {
    const names = new UniqueNames()
    expect(['a', 'a', 'a (2)', 'a', 'a (2)'].map((name) => names.take(name))).toEqual([
      'a',
      'a (2)',
      'a (2) (2)',
      'a (3)',
      'a (2) (3)',
    ])
  })
})
