import type { Phase, RunDetail, TestError } from '@runledger/protocol'
import { expect } from 'vitest'
import { pick, type Behaviour, type Chapter, type Observation, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile } from '../one-file'

/** One failed test `reads`, and what its error on record must be. */
function failing(
  dialect: Dialect,
  body: string,
  check: (error: TestError, phase: Phase) => void,
  options?: string,
): Scenario {
  return oneFile(dialect, {
    ...(options !== undefined && { options }),
    body,
    steps: [['reads', 'FAIL']],
    check: ({ runs: [run] }) => {
      const phase = readPhase(run, 'reads')
      expect(phase.error).toBeDefined()
      check(phase.error as TestError, phase)
    },
  })
}

function readPhase(run: RunDetail | undefined, name: string): Phase {
  const phase = run?.phases.find((each) => each.name === name)
  if (phase === undefined)
    throw new Error(`no step ${name}: ${run?.phases.map((each) => each.name).join(' | ')}`)
  return phase
}

/** Playwright has values and difference in the message only. */
function hasValues({ framework }: Dialect): boolean {
  return framework !== 'playwright'
}

const LINES = (...lines: string[]) => `${lines.join('\n')}\n`

export const ERRORS: Chapter = {
  title: 'Why tests fail',
  behaviours: [
    {
      name: 'an assertion is on record with its values and the line that failed',
      isCore: true,
      scenario: (dialect) =>
        failing(
          dialect,
          LINES("test('reads', () => {", '  const volts = 3.1', '  expect(volts).toBe(3.3)', '})'),
          (error) => {
            // The dialect's head is a line of its own where there is one.
            const line = dialect.head === '' ? 3 : 4
            expect(error.location).toMatchObject({ file: 'a.test.js', line })
            expect(error.snippet).toMatch(/>\s*\d+ \| {3}expect\(volts\)\.toBe\(3\.3\)/)
            expect(error.message).toContain('3.3')
            if (hasValues(dialect)) expect(error).toMatchObject({ expected: '3.3', actual: '3.1' })
          },
        ),
    },
    {
      name: 'objects that differ have their difference on record',
      scenario: (dialect) =>
        failing(
          dialect,
          "test('reads', () => { expect({ volts: 3.1, amps: 2 }).toEqual({ volts: 3.3, amps: 2 }) })\n",
          ({ message, expected, actual, diff }) => {
            for (const text of ['3.3', '3.1']) expect([message, diff].join('\n')).toContain(text)
            if (!hasValues(dialect)) return
            expect([expected, actual].map((text) => text?.includes('volts'))).toEqual([true, true])
          },
        ),
    },
    {
      name: 'causes are on record below their error',
      scenario: (dialect, { release }) =>
        failing(
          dialect,
          LINES(
            "test('reads', () => {",
            "  const deeper = new Error('fuse is blown')",
            "  const cause = new Error('cable is out', { cause: deeper })",
            "  throw new Error('no reading', { cause })",
            '})',
          ),
          ({ message, stack = '' }) => {
            expect(message).toContain('no reading')
            // Playwright 1.40 tells reporters of no cause.
            if (release === 140) return
            expect(stack.indexOf('cable is out')).toBeGreaterThan(-1)
            expect(stack.indexOf('fuse is blown')).toBeGreaterThan(stack.indexOf('cable is out'))
          },
        ),
    },
    {
      name: 'the inner errors of an aggregate error are on record',
      scenario: (dialect, { release }) => {
        if (dialect.framework === 'playwright')
          return { notPossible: 'Playwright tells reporters nothing of the errors within an AggregateError.' }
        return failing(
          dialect,
          "test('reads', () => { throw new AggregateError([new Error('first is out'), new Error('second is out')], 'both') })\n",
          (error, { errors = [error] }) => {
            const inner = ['first is out', 'second is out']
            // Vitest 4 and later hand over the inner errors in place of the one that was thrown.
            if (dialect.framework === 'vitest' && release >= 4) {
              const messages = errors.map(({ message }) => message)
              expect(messages).toEqual(inner.map((part) => expect.stringContaining(part) as string))
              return
            }
            const text = `${error.message}\n${error.stack ?? ''}`
            for (const part of ['both', ...inner]) expect(text).toContain(part)
          },
        )
      },
    },
    {
      name: 'each soft assertion that fails is an error of its own',
      scenario: (dialect) => {
        if (dialect.framework === 'jest') return { notPossible: 'Jest has no soft assertions.' }
        return failing(
          dialect,
          "test('reads', () => { expect.soft(1).toBe(41); expect.soft(2).toBe(42); expect(3).toBe(43) })\n",
          (_error, { errors = [] }) => {
            expect(errors).toHaveLength(3)
            for (const [index, wanted] of ['41', '42', '43'].entries())
              expect(errors[index]?.message).toContain(wanted)
          },
        )
      },
    },
    {
      name: 'a snapshot that differs has both sides on record',
      scenario: (dialect, { release }) => snapshot(dialect, release),
    },
    {
      name: 'a test that ran out of time says so, and where it hung as far as the framework tells',
      scenario: (dialect) =>
        failing(
          dialect,
          LINES("test('reads', async () => {", '  await new Promise(() => {})', '})'),
          ({ message, location }) => {
            expect(message).toMatch(/time(d )?.?out/i)
            if (dialect.framework !== 'playwright') expect(location?.file).toBe('a.test.js')
          },
          dialect.timeout(1500),
        ),
    },
    {
      name: 'every attempt has its own error',
      isCore: true,
      scenario: (dialect) =>
        oneFile(dialect, {
          options: `${dialect.retries(2)} ${dialect.timeout(5000)}`,
          body: `${dialect.retryLine(2)}${dialect.attemptLine}test('reads', () => { throw new Error('try no. ' + attempt()) })\n`,
          steps: [['reads', 'FAIL']],
          variables: { retries: '2' },
          check: ({ runs: [run] }) => {
            const { attempts = [], error, retry_count: retries } = readPhase(run, 'reads')
            expect([attempts.length, retries]).toEqual([3, 2])
            expect(attempts.map(({ outcome }) => outcome)).toEqual(['FAIL', 'FAIL', 'FAIL'])
            for (const [index, { errors }] of attempts.slice(0, 2).entries())
              expect(errors?.[0]?.message).toContain(`try no. ${index + 1}`)
            expect(error?.message).toContain('try no. 3')
          },
        }),
    },
    {
      name: 'a hook that fails is told apart from a test',
      scenario: (dialect) => {
        const isTest = dialect.framework === 'playwright'
        return oneFile(dialect, {
          body: `${dialect.afterAll}(() => { throw new Error('port is open') })\ntest('reads', () => {})\n`,
          // Playwright counts a failed afterAll hook as an error of the last test.
          steps: isTest
            ? [['reads', 'FAIL']]
            : [
                ['reads', 'PASS'],
                ['afterAll hook', 'FAIL'],
              ],
          variables: isTest ? {} : { tests_passed: '1' },
          check: ({ runs: [run] }) => {
            const phase = readPhase(run, isTest ? 'reads' : 'afterAll hook')
            expect(phase.kind).toBe(isTest ? 'test' : 'hook')
            expect(phase.error?.message).toContain('port is open')
            expect(phase.error?.location?.file).toBe('a.test.js')
          },
        })
      },
    },
    {
      name: 'a file that cannot be loaded is an error of no test',
      scenario: (dialect) => ({
        files: { ...dialect.config(), 'a.test.js': `${dialect.head}throw new Error('no bench')\n` },
        exitCode: 1,
        runs: [{ file: 'a.test.js', outcome: 'FAIL', steps: [['Suite failed to load', 'FAIL']] }],
        check: ({ runs: [run] }) => {
          const { kind, error } = readPhase(run, 'Suite failed to load')
          expect(kind).toBe('suite')
          expect(error?.message).toContain('no bench')
        },
      }),
    },
    {
      name: 'a failed step within a test has its error, below the test',
      scenario: (dialect) => steps(dialect),
    },
    {
      name: 'tags and owners are on record',
      scenario: (dialect, { release }) => {
        if (dialect.framework === 'jest') return { notPossible: 'Jest has neither tags nor annotations.' }
        if (dialect.framework === 'vitest')
          return {
            notPossible: 'Tags of Vitest must be declared in its config; see the tests of the package.',
          }
        if (release < 142) return { notPossible: 'Playwright has tags since 1.42.' }
        return oneFile(dialect, {
          body: "test('reads', { tag: '@smoke', annotation: { type: 'owner', description: '@bench-team' } }, () => {})\n",
          steps: [['reads', 'PASS']],
          check: ({ runs: [run] }) => {
            const { tags, owner } = readPhase(run, 'reads')
            expect(tags).toContain('@smoke')
            expect(owner).toBe('@bench-team')
          },
        })
      },
    },
    skipped(),
  ],
}

function snapshot(dialect: Dialect, release: number): Scenario {
  const stored = pick<Record<string, string>>(dialect, {
    jest: {
      '__snapshots__/a.test.js.snap':
        '// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\nexports[`reads 1`] = `"3.3 V"`;\n',
    },
    vitest: {
      '__snapshots__/a.test.js.snap':
        '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`reads 1`] = `"3.3 V"`;\n',
    },
    playwright: { 'snapshots/reads.txt': '3.3 V' },
  })
  const matcher = dialect.framework === 'playwright' ? "toMatchSnapshot('reads.txt')" : 'toMatchSnapshot()'
  const options = pick(dialect, {
    jest: '',
    vitest: '',
    playwright: "snapshotPathTemplate: '{testDir}/snapshots/{arg}{ext}',",
  })
  return {
    files: {
      ...dialect.config(options),
      'a.test.js': `${dialect.head}test('reads', () => { expect('3.1 V').${matcher} })\n`,
      ...stored,
    },
    args: pick(dialect, { jest: ['--ci'], vitest: [], playwright: [] }),
    exitCode: 1,
    runs: [{ file: 'a.test.js', outcome: 'FAIL', steps: [['reads', 'FAIL']] }],
    check: ({ runs: [run] }) => {
      const { error } = readPhase(run, 'reads')
      const told = [error?.message, error?.expected, error?.actual, error?.diff].join('\n')
      // Playwright 1.40 writes both sides as one line that only colours tell apart.
      if (dialect.framework === 'playwright' && release === 140) return expect(told).toContain('3.31 V')
      expect(told).toContain('3.3 V')
      expect(told).toContain('3.1 V')
    },
  }
}

function steps(dialect: Dialect): ReturnType<Behaviour['scenario']> {
  if (dialect.framework !== 'playwright')
    return { notPossible: 'Neither Jest nor Vitest has steps within tests.' }
  return {
    files: {
      'playwright.config.js':
        "module.exports = { workers: 1, reporter: [['list'], ['@runledger/playwright', { stepDepth: 2 }]] }\n",
      'a.test.js': `${dialect.head}test('reads', async () => {
        await test.step('powers up', async () => {
          await test.step('closes the relay', () => { throw new Error('relay sticks') })
        })
      })\n`,
    },
    exitCode: 1,
    runs: [
      {
        file: 'a.test.js',
        outcome: 'FAIL',
        steps: [
          ['reads', 'FAIL'],
          ['reads › powers up', 'FAIL'],
          ['reads › powers up › closes the relay', 'FAIL'],
        ],
      },
    ],
    check: ({ runs: [run] }: Observation) => {
      const inner = readPhase(run, 'reads › powers up › closes the relay')
      expect([inner.kind, inner.parent]).toEqual(['step', 1])
      expect(inner.error?.message).toContain('relay sticks')
      expect(readPhase(run, 'reads › powers up').parent).toBe(0)
    },
  }
}

/** Jest has no word for a reason. */
function skipped(): Behaviour {
  return {
    name: 'tests that did not run are on record with their reasons, apart from the steps',
    scenario: (dialect) =>
      oneFile(dialect, {
        body: pick(dialect, {
          jest: "test.skip('waits', () => {})\ntest('holds', () => {})\n",
          vitest: "test('waits', ({ skip }) => { skip('no device') })\ntest('holds', () => {})\n",
          playwright: "test('waits', () => { test.skip(true, 'no device') })\ntest('holds', () => {})\n",
        }),
        steps: [['holds', 'PASS']],
        variables: { tests_skipped: '1' },
        check: ({ runs: [run] }) => {
          expect(run?.skipped).toHaveLength(1)
          expect(run?.skipped?.[0]?.name).toBe('waits')
          if (dialect.framework !== 'jest') expect(run?.skipped?.[0]?.reason).toBe('no device')
        },
      }),
  }
}
