import { describe, expect, it } from 'vitest'
import {
  formatFilterText,
  fromFilterSearch,
  parseFilterSearch,
  parseFilterText,
  toFilterSearch,
  RUN_FACET_NAMES,
  type RunFilter,
} from './run-filter'

const filters: RunFilter[] = [
  { outcomes: [], words: '' },
  { outcomes: ['FAIL'], words: 'SN-1 board' },
  { group: 'build-7', outcomes: ['FAIL', 'TIMEOUT'], words: '' },
  { group: 'nightly build 7', outcomes: [], words: 'thermostat' },
  { group: '007', outcomes: [], words: '1e5' },
  { branch: 'main', unit: 'SN 1', outcomes: ['FAIL'], words: 'supply' },
]

describe('filter text', () => {
  it.each(filters)('reads back what it wrote: %j', (filter) => {
    expect(parseFilterText(formatFilterText(filter))).toEqual(filter)
  })

  it('reads outcomes without regard to case and keeps the contract’s order', () => {
    expect(parseFilterText('outcome:Error OUTCOME:fail outcome:fail')).toEqual({
      outcomes: ['FAIL', 'ERROR'],
      words: '',
    })
  })

  it('leaves an unknown outcome and an unknown key among the words', () => {
    expect(parseFilterText('outcome:broken serial:12  x')).toEqual({
      outcomes: [],
      words: 'outcome:broken serial:12 x',
    })
  })

  it('does not take the end of a word for a key', () => {
    expect(parseFilterText('subgroup:a')).toEqual({ outcomes: [], words: 'subgroup:a' })
  })
})

describe('filter in the address', () => {
  it.each(filters)('reads back what it wrote: %j', (filter) => {
    const read = fromFilterSearch(parseFilterSearch({ ...toFilterSearch(filter) }))
    expect(read).toEqual(filter)
  })

  it('leaves out what makes no sense', () => {
    expect(parseFilterSearch({ outcome: ['FAIL', 'NONSENSE'], group: 7, q: ['a', 'b'] })).toEqual({
      outcome: ['FAIL'],
      q: 'a',
    })
  })

  it('says of every part that it is absent, lest the router keep what was sent', () => {
    const parts = parseFilterSearch({ outcome: 'NONSENSE' })
    expect(Object.keys(parts)).toEqual([...RUN_FACET_NAMES, 'outcome', 'q'])
    expect(Object.values(parts).every((part) => part === undefined)).toBe(true)
  })

  it('takes one outcome that is not a list', () => {
    expect(parseFilterSearch({ outcome: 'pass' })).toEqual({ outcome: ['PASS'] })
  })

  it('is empty for a filter that restricts nothing', () => {
    expect(toFilterSearch({ group: '', outcomes: [], words: '  ' })).toEqual({})
  })
})
