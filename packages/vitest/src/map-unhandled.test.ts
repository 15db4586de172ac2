import { expect, test } from 'vitest'
import { readRecording, Replay } from '../recordings/replay'
import { mapIgnored, mapUnhandled } from './map-unhandled'

test.each([
  ['a text', 'a text'],
  [null, 'null'],
  [undefined, 'undefined'],
  [{ message: 'm', VITEST_TEST_PATH: 7 }, 'm'],
  [{ message: 'm', VITEST_TEST_PATH: '' }, 'm'],
])('an error %j that names no file is one of the execution', (error, message) => {
  const sorted = mapUnhandled([error], [], '/project')
  expect(sorted.byModule.size).toBe(0)
  expect(sorted.ofExecution).toEqual([{ name: 'Unhandled error', errors: [{ message }] }])
})

test('several errors of one file belong to it, and empty fields are ignored', () => {
  const { modules } = new Replay(readRecording('ignored', '4.1.12'))
  const error = { message: 'm', type: '', VITEST_TEST_NAME: '', VITEST_TEST_PATH: '/project/late.test.ts' }
  const sorted = mapUnhandled([error, error], modules, '/project')
  const problem = { name: 'Unhandled error', errors: [{ message: 'm' }] }
  expect(sorted).toEqual({ byModule: new Map([[modules[0], [problem, problem]]]), ofExecution: [] })
  expect(mapIgnored([problem])).toEqual([
    { stream: 'stderr', text: 'Unhandled error, ignored as configured: m' },
  ])
})

test('an unhandled error has all parts of an error', () => {
  const error = {
    name: 'AssertionError',
    message: 'm',
    type: 'Unhandled Rejection',
    diff: '- 2',
    expected: '2',
    stack: 'AssertionError: m\n    at /project/a.ts:1:2',
    VITEST_TEST_NAME: 'waits',
  }
  const { ofExecution } = mapUnhandled([error], [], '/project')
  const stack = "    at /project/a.ts:1:2\nVitest's latest test at that moment: waits"
  expect(ofExecution).toEqual([
    {
      name: 'Unhandled error',
      errors: [
        {
          message: 'Unhandled Rejection: AssertionError: m',
          stack,
          location: { file: 'a.ts', line: 1, column: 2 },
          diff: '- 2',
          expected: '2',
        },
      ],
    },
  ])
  expect(mapIgnored(ofExecution)[0]?.text).toBe(
    `Unhandled error, ignored as configured: Unhandled Rejection: AssertionError: m\n- 2\n${stack}`,
  )
})
