import { pick, type Behaviour, type Chapter, type ExpectedRun } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile } from '../one-file'

type Steps = ExpectedRun['steps']

const LIMIT_MS = 1500
const HANGS = 'async () => { await new Promise(() => {}) }'

function hangingHook(
  hook: 'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach',
  steps: (dialect: Dialect) => Steps,
): Behaviour {
  return {
    name: `${hook === 'beforeAll' || hook === 'beforeEach' ? 'a' : 'an'} ${hook} hook that runs out of time fails its run`,
    scenario: (dialect) =>
      oneFile(dialect, {
        options: dialect.timeout(LIMIT_MS),
        body: `${dialect[hook]}(${HANGS})\ntest('reads', () => {})\n`,
        steps: steps(dialect),
        log: [/time(d )?.?out/i, String(LIMIT_MS)],
      }),
  }
}

const FAILED: Steps = [['reads', 'FAIL']]

export const HOOK_TIMEOUTS: Chapter = {
  title: 'Hooks that run out of time',
  behaviours: [
    hangingHook('beforeAll', (dialect) =>
      pick<Steps>(dialect, { jest: FAILED, vitest: [['beforeAll hook', 'FAIL']], playwright: FAILED }),
    ),
    hangingHook('afterAll', (dialect) => {
      const blamingNone: Steps = [
        ['reads', 'PASS'],
        ['afterAll hook', 'FAIL'],
      ]
      return pick<Steps>(dialect, { jest: blamingNone, vitest: blamingNone, playwright: FAILED })
    }),
    hangingHook('beforeEach', () => FAILED),
    hangingHook('afterEach', () => FAILED),
    {
      name: 'a hook of a describe that runs out of time leaves the tests after it their own verdicts',
      scenario: (dialect) =>
        oneFile(dialect, {
          options: dialect.timeout(LIMIT_MS),
          body: `${dialect.describe}('bench', () => {
              ${dialect.beforeAll}(${HANGS})
              test('reads', () => {}) })
            test('measures', () => {})\n`,
          steps: pick<Steps>(dialect, {
            jest: [
              ['bench › reads', 'FAIL'],
              ['measures', 'PASS'],
            ],
            vitest: [
              ['measures', 'PASS'],
              ['beforeAll hook', 'FAIL'],
            ],
            playwright: [
              ['bench › reads', 'FAIL'],
              ['measures', 'PASS'],
            ],
          }),
        }),
    },
  ],
}
