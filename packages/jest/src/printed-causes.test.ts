import { expect, it } from 'vitest'
import type { JestAssertion } from './jest-types'
import { addPrintedCauses } from './printed-causes'

const createTest = (fields: Partial<JestAssertion>): JestAssertion => ({
  ancestorTitles: [],
  title: 'reads',
  status: 'failed',
  failureMessages: ['Error: outer\n    at /p/a.test.js:2:9'],
  details: [{}],
  ...fields,
})

const listNested = (tests: readonly JestAssertion[]) =>
  tests.map(({ details }) => details?.map(({ nested }) => nested))

// As Jest 29.7 prints it.
const PRINTED = `  \u001b[1m● \u001b[22mreads

    outer

    \u001b[0m \u001b[90m 1 |\u001b[39m test('reads', () => {
    > 2 |   throw new Error('outer', { cause: new TypeError('middle', { cause: 'innermost' }) })
        |         ^
      3 | })

      at Object.<anonymous> (a.test.js:2:9)

    Cause:
    TypeError: middle

      1 | test('reads', () => {
    > 2 |   throw new Error('outer', { cause: new TypeError('middle', { cause: 'innermost' }) })
        |                                     ^

      at Object.<anonymous> (a.test.js:2:37)

    Cause:
    innermost

  ● group › reads

    alone

      at Object.<anonymous> (a.test.js:5:9)

  ● group › reads

    again

    Cause:
    why
`

it('gives each failure the causes that are printed below it, without the code', () => {
  const twice = createTest({ ancestorTitles: ['group'], failureMessages: ['Error: alone', 'Error: again'] })
  const skipped = createTest({ status: 'pending', failureMessages: [] })
  expect(listNested(addPrintedCauses([createTest({}), skipped, twice], PRINTED))).toEqual([
    [['[cause]: TypeError: middle\n    at Object.<anonymous> (a.test.js:2:37)', '[cause]: innermost']],
    [],
    [undefined, ['[cause]: why']],
  ])
})

it('leaves causes alone that are known already', () => {
  const inMessage = createTest({ failureMessages: ['Error: outer\n\n[cause]: TypeError: middle'] })
  expect(listNested(addPrintedCauses([inMessage], PRINTED))).toEqual([[undefined]])
  const asData = createTest({ details: [{ nested: ['[cause]: middle'] }] })
  expect(listNested(addPrintedCauses([asData], PRINTED))).toEqual([[['[cause]: middle']]])
})

it.each(['', '  ● other\n\n    no\n\n    Cause:\n    why\n'])(
  'adds none that are not printed: %j',
  (printed) => {
    expect(listNested(addPrintedCauses([createTest({})], printed))).toEqual([[undefined]])
  },
)
