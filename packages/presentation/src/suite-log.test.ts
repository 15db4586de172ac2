import { describe, expect, it } from 'vitest'
import { madePhase } from '../../../test/support/made-phase'
import { findPrinted, parseSuiteLog } from './suite-log'

const HEAD = ['suite      src/panel.test.ts', 'framework  vitest 4.1.12', 'outcome    failed', '']

function logOf(...lines: string[]): string {
  return `${[...HEAD, ...lines].join('\n')}\n`
}

const FAILED = madePhase('panel › opens', 'FAIL', { kind: 'test', duration: 'PT0.010S' })

describe('the output of a test', () => {
  it('is listed by stream in order, with the line where it begins', () => {
    const log = logOf(
      '✓ passed  panel › closes (3 ms)',
      '    stdout',
      '      | not mine',
      '✗ failed  panel › opens (10 ms)',
      '      Error: stuck',
      '',
      '          at panel.ts:3',
      '    measured 2026-11-20T09:30:00.700Z  ✓ angle = 3',
      '    stdout 2026-11-20T09:30:00.700Z',
      '      | first',
      '      |',
      '      |   third',
      '    stderr 2026-11-20T09:30:00.701Z panel.ts:7',
      '      | careful',
    )
    expect(findPrinted(parseSuiteLog(log), FAILED, 1)).toEqual({
      kind: 'text',
      line: 13,
      outputs: [
        { stream: 'stdout', lines: ['first', '', '  third'] },
        { stream: 'stderr', lines: ['careful'] },
      ],
    })
    expect(findPrinted(parseSuiteLog(log.replaceAll('\n', '\r\n')), FAILED, 1)).toMatchObject({ line: 13 })
  })

  it('is each attempt’s own', () => {
    const log = parseSuiteLog(
      logOf(
        '✗ failed  panel › opens (10 ms, 3 attempts)',
        '    attempt 1: failed (4 ms)',
        '      Error: stuck',
        '    stdout',
        '      | one',
        '    attempt 2: timedOut',
        '    attempt 3: failed (4 ms)',
        '    stdout',
        '      | three',
      ),
    )
    const [first, second, third, fourth] = [1, 2, 3, 4].map((attempt) => findPrinted(log, FAILED, attempt))
    expect(first).toEqual({ kind: 'text', line: 8, outputs: [{ stream: 'stdout', lines: ['one'] }] })
    expect([second, fourth]).toEqual([undefined, undefined])
    expect(third).toMatchObject({ line: 12, outputs: [{ lines: ['three'] }] })
  })

  it('is not what only looks like a heading of the log', () => {
    const lines = [
      '✗ failed  panel › opens (10 ms)',
      '      ✗ failed  panel › shuts (10 ms)',
      '      stdout',
      '      | an error',
      '          stdout',
      '      | of an error',
      '    log 2026-11-20T09:30:00.700Z  told',
      '      | in two lines',
      '    stdout',
      '      | ✗ failed  panel › shuts (10 ms)',
      '      |     stdout',
      '      |       | again',
      '      | suite      other.test.ts',
      '      |     attempt 2: failed',
      '      | a\r✗ failed  panel › shuts (10 ms)\r      | b',
    ]
    const log = parseSuiteLog(logOf(...lines))
    expect(log.tests).toHaveLength(1)
    expect(findPrinted(log, FAILED, 1)).toMatchObject({
      line: 13,
      outputs: [
        {
          lines: [
            '✗ failed  panel › shuts (10 ms)',
            '    stdout',
            '      | again',
            'suite      other.test.ts',
            '    attempt 2: failed',
            'a',
            '✗ failed  panel › shuts (10 ms)',
            '      | b',
          ],
        },
      ],
    })
  })

  it('counts lines as they are shown, where a carriage return begins one too', () => {
    const log = parseSuiteLog(
      logOf(
        '✓ passed  panel › closes (3 ms)',
        '    stdout',
        '      | 1 %\r2 %\r3 %',
        '✗ failed  panel › opens (10 ms)',
        '    stdout',
        '      | x',
      ),
    )
    expect(findPrinted(log, FAILED, 1)).toMatchObject({ kind: 'text', line: 11 })
  })

  it('is absent for a test without output, for a hook, and in a foreign log', () => {
    const log = parseSuiteLog(logOf('✗ failed  panel › opens (10 ms)', '      Error: stuck'))
    expect(findPrinted(log, FAILED, 1)).toBeUndefined()
    expect(findPrinted(log, madePhase('x', 'FAIL', { kind: 'hook' }), 1)).toBeUndefined()
    expect(findPrinted(parseSuiteLog('the hinge is stuck\n    stdout\n      | x'), FAILED, 1)).toBeUndefined()
    expect(findPrinted(parseSuiteLog(''), FAILED, 1)).toBeUndefined()
  })
})

describe('the place alone', () => {
  it('leads to what the file printed, where the framework does not tell which test did', () => {
    const log = parseSuiteLog(logOf('✗ failed  panel › opens (10 ms)', 'stdout panel.ts:3', '  | hello'))
    expect(findPrinted(log, FAILED, 1)).toEqual({ kind: 'file', line: 6 })
  })

  it('leads to the test where the log ends within it, and into the log where it ends before', () => {
    const whole = logOf('✗ failed  panel › opens (10 ms)', '    stdout', '      | hello')
    expect(findPrinted(parseSuiteLog(whole, true), FAILED, 1)).toEqual({ kind: 'test', line: 6 })
    const note = '\n… the log is longer than maxAttachmentBytes (9)\n'
    expect(findPrinted(parseSuiteLog(whole.trimEnd() + note), FAILED, 1)).toEqual({ kind: 'test', line: 6 })
    expect(findPrinted(parseSuiteLog(logOf(), true), FAILED, 1)).toEqual({ kind: 'log' })
    const other = logOf('✗ failed  panel › opens (10 ms)', '✓ passed  other (1 ms)')
    expect(findPrinted(parseSuiteLog(other, true), FAILED, 1)).toBeUndefined()
  })
})

describe('which test of a log a step is', () => {
  const twice = parseSuiteLog(
    logOf(
      '✗ failed  panel › opens (10 ms)',
      '    stdout',
      '      | the short one',
      '✗ failed  panel › opens (70 ms)',
      '    stdout',
      '      | the long one',
    ),
  )

  it('is identified by its verdict and time if several have its name', () => {
    const named = (name: string, duration: string) => ({ ...FAILED, name, duration })
    expect(findPrinted(twice, named('panel › opens', 'PT0.0704S'), 1)).toMatchObject({
      outputs: [{ lines: ['the long one'] }],
    })
    expect(findPrinted(twice, named('panel › opens (2)', 'PT0.010S'), 1)).toMatchObject({
      outputs: [{ lines: ['the short one'] }],
    })
    expect(findPrinted(twice, named('panel › opens', 'PT5S'), 1)).toBeUndefined()
  })

  it('is not guessed where two are the same', () => {
    const log = parseSuiteLog(logOf('✗ failed  a (10 ms)', '    stdout', '      | x', '✗ failed  a (10 ms)'))
    expect(findPrinted(log, { ...FAILED, name: 'a' }, 1)).toEqual({ kind: 'log' })
  })

  it('is identified by its file if several suites share a run', () => {
    const log = parseSuiteLog(
      [
        logOf('✗ failed  opens (10 ms)', '    stdout', '      | panel'),
        logOf('✗ failed  opens (10 ms)', '    stdout', '      | door').replace('panel', 'door'),
      ].join('\n'),
    )
    for (const name of ['panel', 'door'])
      expect(findPrinted(log, { ...FAILED, name: `src/${name}.test.ts › opens` }, 1)).toMatchObject({
        outputs: [{ lines: [name] }],
      })
  })

  it('is not another one that begins alike', () => {
    const log = parseSuiteLog(
      logOf('✗ failed  panel › opens twice (10 ms)', '    stdout', '      | x', '✓ passed  panel (1 ms)'),
    )
    expect(findPrinted(log, FAILED, 1)).toBeUndefined()
    const brackets = parseSuiteLog(logOf('✗ failed  waits (5 ms) (10 ms)', '    stdout', '      | x'))
    expect(findPrinted(brackets, { ...FAILED, name: 'waits (5 ms)' }, 1)).toMatchObject({ kind: 'text' })
  })
})
