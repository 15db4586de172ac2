import { describe, expect, it } from 'vitest'
import { describePatternProblem, parseSerialNumber } from './parse-serial-number'

const PATTERN = String.raw`^(?P<part_number>[A-Z]+\d*)-(?<revision_number>[A-Z])?-?(?P<batch_number>\d{4})?`

describe('a serial number', () => {
  it('gives what the named groups match, trimmed, and leaves out what matched nothing', () => {
    expect(parseSerialNumber(PATTERN, 'PCB12-B-2603-000017')).toEqual({
      part_number: 'PCB12',
      revision_number: 'B',
      batch_number: '2603',
    })
    expect(parseSerialNumber(PATTERN, 'PCB12--x')).toEqual({ part_number: 'PCB12' })
    expect(parseSerialNumber('(?<part_number>.{3})', ' A ')).toEqual({ part_number: 'A' })
  })

  it('gives nothing when the pattern does not match', () => {
    expect(parseSerialNumber(PATTERN, 'pcb12-B')).toEqual({})
    expect(parseSerialNumber('(?<other>x)|(?<part_number>y)', 'x')).toEqual({})
  })

  it('gives nothing by a pattern that would be refused', () => {
    expect(parseSerialNumber('(?<part_number>', 'x')).toEqual({})
    expect(parseSerialNumber('x', 'x')).toEqual({})
  })

  it('is parsed by the pattern given, whichever was used before', () => {
    expect(parseSerialNumber('(?<part_number>a)', 'ab')).toEqual({ part_number: 'a' })
    expect(parseSerialNumber('(?<part_number>b)', 'ab')).toEqual({ part_number: 'b' })
  })
})

describe('a pattern', () => {
  it('is fine when it compiles and has one of the groups', () => {
    expect(describePatternProblem(PATTERN)).toBeUndefined()
  })

  it.each([
    ['(?<part_number>[', /^must be a regular expression of RE2 \(.*missing closing/],
    [String.raw`(?<part_number>a)\1`, /^must be a regular expression of RE2 \(.*invalid escape/],
    ['(?<part_number>a)(?=b)', /^must be a regular expression of RE2/],
    ['[A-Z]+', /^must have one of the named groups/],
    ['(?<serial>[A-Z]+)', /^must have one of the named groups/],
    ['(?<part_number>(a?){1000})', /^must be simpler/],
    ['(?<part_number>((a{1000}){1000}){1000})', /^must be a regular expression of RE2/],
  ])('%s is refused, and why is told', (pattern, problem) => {
    expect(describePatternProblem(pattern)).toMatch(problem)
  })

  it.each([
    '^(?<part_number>(a+)+)$',
    '(?<part_number>(a|aa)*)$b',
    '(?<part_number>(a?){120}a{120})$',
    '(?<part_number>(.*)*)x',
  ])('%s takes no time to speak of, where a backtracking engine would never end', (pattern) => {
    expect(describePatternProblem(pattern)).toBeUndefined()
    parseSerialNumber(pattern, 'warm up')
    const start = performance.now()
    parseSerialNumber(pattern, `${'a'.repeat(254)}!`)
    expect(performance.now() - start).toBeLessThan(1000)
  })
})
