import { describe, expect, it } from 'vitest'
import { findRenames, type NamedTest } from './renames'

const test = (id: number, name: string, suiteId = 1, projectId = 0): NamedTest => ({
  id,
  name,
  suiteId,
  projectId,
})

describe('a test that vanished and one that appeared', () => {
  it.each([
    [
      'with equal titles in another file are one',
      [test(1, 'cart › adds')],
      [test(2, 'cart › adds', 2)],
      [[1, 2]],
    ],
    [
      'with one changed title in a file are one',
      [test(1, 'cart › adds')],
      [test(2, 'cart › adds two')],
      [[1, 2]],
    ],
    [
      'are one for each test of a renamed group',
      [test(1, 'cart › adds'), test(2, 'cart › removes')],
      [test(3, 'basket › adds'), test(4, 'basket › removes')],
      [
        [1, 3],
        [2, 4],
      ],
    ],
    ['with two changed titles are two', [test(1, 'cart › adds')], [test(2, 'basket › removes')], []],
    ['with another number of titles are two', [test(1, 'cart › adds')], [test(2, 'adds')], []],
    ['in another project are two', [test(1, 'adds')], [test(2, 'adds', 2, 7)], []],
    ['are two where two could be meant', [test(1, 'adds')], [test(2, 'adds', 2), test(3, 'adds', 3)], []],
    ['are two where two vanished', [test(1, 'adds'), test(2, 'removes')], [test(3, 'counts')], []],
  ])('%s', (_what, vanished, appeared, pairs) => {
    expect(findRenames(vanished, appeared).map(({ earlier, later }) => [earlier, later])).toEqual(pairs)
  })

  it('are found among thousands, each of which may be any other', () => {
    const list = (from: number, title: string) =>
      Array.from({ length: 2_000 }, (_, index) => test(from + index, `${title} ${index}`))
    const moved = [test(10_000, 'cart › adds'), test(10_001, 'cart › adds', 2)] as const
    const found = findRenames([...list(0, 'case'), moved[0]], [...list(5_000, 'row'), moved[1]])
    expect(found).toEqual([{ earlier: 10_000, later: 10_001 }])
  }, 5_000)
})
