import type { Behaviour, Chapter, ExpectedRun, NotPossible } from '../behaviour'
import { oneFile } from '../one-file'

type Steps = ExpectedRun['steps']

const ONLY_VITEST: NotPossible = { notPossible: 'Only Vitest has hooks of this kind.' }
const BREAK = "throw new Error('hook broke')"
const TWO_TESTS = "test('is first', () => {})\ntest('is second', () => {})\n"
const BOTH: Steps = [
  ['is first', 'PASS'],
  ['is second', 'PASS'],
]

// The stack of the error names no hook.
const SUITE_HOOK: Steps[number] = ['Suite hook', 'FAIL']

interface VitestHook {
  name: string
  body: string
  steps: Steps
  /** Vitest has it since this minor version of its version 4. */
  sinceMinor?: number
}

function vitestHook({ name, body, steps, sinceMinor = 0 }: VitestHook): Behaviour {
  return {
    name,
    scenario: (dialect, { version, release }) => {
      if (dialect.framework !== 'vitest') return ONLY_VITEST
      const minor = Number(version.split('.')[1])
      if (sinceMinor > 0 && (release < 4 || (release === 4 && minor < sinceMinor)))
        return { notPossible: `Vitest has this hook since its version 4.${sinceMinor}.` }
      return oneFile(dialect, { body, steps, log: ['hook broke'] })
    },
  }
}

/** Without the imports of the dialect's first line, which older versions do not have. */
const IMPORT_AROUND = "import { aroundAll, aroundEach } from 'vitest'\n"

export const VITEST_HOOKS: Chapter = {
  title: 'Clean-ups and hooks around tests',
  behaviours: [
    vitestHook({
      name: 'a clean-up that a beforeAll hook returns fails the run when it throws',
      body: `beforeAll(() => () => { ${BREAK} })\n${TWO_TESTS}`,
      steps: [...BOTH, SUITE_HOOK],
    }),
    vitestHook({
      name: 'a clean-up that a beforeEach hook returns fails its tests when it throws',
      body: `beforeEach(() => () => { ${BREAK} })\n${TWO_TESTS}`,
      steps: [
        ['is first', 'FAIL'],
        ['is second', 'FAIL'],
      ],
    }),
    vitestHook({
      name: 'what a test asks for at its end fails it when it throws',
      body: `test('is first', ({ onTestFinished }) => { onTestFinished(() => { ${BREAK} }) })
        test('is second', () => {})\n`,
      steps: [
        ['is first', 'FAIL'],
        ['is second', 'PASS'],
      ],
    }),
    vitestHook({
      name: 'a hook around all tests that throws before them fails the run',
      body: `${IMPORT_AROUND}aroundAll(async () => { ${BREAK} })\n${TWO_TESTS}`,
      steps: [SUITE_HOOK],
      sinceMinor: 1,
    }),
    vitestHook({
      name: 'a hook around all tests that throws after them fails the run',
      body: `${IMPORT_AROUND}aroundAll(async (run) => { await run(); ${BREAK} })\n${TWO_TESTS}`,
      steps: [...BOTH, SUITE_HOOK],
      sinceMinor: 1,
    }),
    vitestHook({
      name: 'a hook around each test that throws fails every test that ran',
      body: `${IMPORT_AROUND}aroundEach(async (run) => { await run(); ${BREAK} })\n${TWO_TESTS}`,
      steps: [
        ['is first', 'FAIL'],
        ['is second', 'FAIL'],
      ],
      sinceMinor: 1,
    }),
  ],
}
