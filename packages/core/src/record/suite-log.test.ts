import { expect, it } from 'vitest'
import { createAttempt, createSuite, createTest, FACTS } from '../../../../test/support/suites'
import type { Attachment } from '../model/suite'
import { formatLog } from './suite-log'

it('shows every test, every attempt’s error, what was not attached and the console output, without ANSI codes', () => {
  const lost: Attachment = { name: 'trace', path: '/gone.zip' }
  const suite = createSuite({
    outcome: 'failed',
    tests: [
      createTest(['math', 'adds']),
      createTest(['math', 'divides'], {
        outcome: 'failed',
        attempts: [
          createAttempt({
            status: 'failed',
            durationMs: 3,
            errors: [{ message: 'first', stack: 'first\n    at a.ts:1' }],
          }),
          createAttempt({
            status: 'timedOut',
            errors: [{ message: '\u001b[31msecond\u001b[39m' }],
            attachments: [lost],
          }),
        ],
      }),
      createTest(['later'], { outcome: 'todo', attempts: [], note: 'ticket 7' }),
    ],
    problems: [{ name: 'afterAll hook', errors: [{ message: 'port still open' }] }],
    output: [{ stream: 'stderr', text: 'careful\nnow\n', origin: 'a.ts:3' }],
  })
  const inspections = new Map([[lost, { refusal: 'the file does not exist' }]])
  expect(formatLog([suite], { facts: FACTS, inspections })).toBe(`suite      src/math.test.ts
framework  vitest 4.1.12
outcome    failed
started    2026-11-20T09:30:00.000Z
duration   PT1.234S
tests      1 passed, 1 failed, 1 skipped, 1 error outside of tests

✓ passed  math › adds (10 ms)
✗ failed  math › divides (10 ms, 2 attempts)
    attempt 1: failed (3 ms)
      first
          at a.ts:1
    attempt 2: timedOut
      second
    not attached: trace: the file does not exist
- todo  later (ticket 7)
✗ failed  afterAll hook
      port still open
stderr a.ts:3
  | careful
  | now
`)
})

it('has the note of a test in its line', () => {
  const test = createTest(['later'], {
    outcome: 'skipped',
    attempts: [],
    note: 'one\n✗ failed  two\r\nthree',
  })
  const log = formatLog([createSuite({ tests: [test] })], { facts: FACTS, inspections: new Map() })
  expect(log).toContain('\n- skipped  later (one ✗ failed  two three)\n')
})

it('shows a difference once, also where it is a part of the message', () => {
  const errors = [
    { message: 'not equal\n\n\u001b[32m- 1\u001b[39m\n+ 2', diff: '- 1\n+ 2' },
    { message: 'also not equal', diff: '- 3\n+ 4' },
  ]
  const log = formatLog([createSuite({ problems: [{ name: 'afterAll hook', errors }] })], {
    facts: FACTS,
    inspections: new Map(),
  })
  expect(log.match(/- 1/g)).toHaveLength(1)
  expect(log.match(/- 3/g)).toHaveLength(1)
})
