import { pick, type Behaviour, type Chapter, type ExpectedRun } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile, type OneFile } from '../one-file'

type Hook = 'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach'

const THROW = "throw new Error('hook broke')"
const TWO_TESTS = "test('is first', () => {})\ntest('is second', () => {})\ntest.skip('waits', () => {})\n"

/** A hook that throws, at the level of the file or inside the describe `inner` that has a test beside it. */
function throwing(hook: Hook, isNested: boolean, dialect: Dialect): string {
  const call = `${dialect[hook]}(() => { ${THROW} })\n`
  if (!isNested) return call + TWO_TESTS
  return `test('outside', () => {})\n${dialect.describe}('inner', () => {\n${call}${TWO_TESTS}})\n`
}

const AT = {
  file: { first: 'is first', second: 'is second', skipped: 'waits', outside: [] as ExpectedRun['steps'] },
  nested: {
    first: 'inner › is first',
    second: 'inner › is second',
    skipped: 'inner › waits',
    outside: [['outside', 'PASS']] as ExpectedRun['steps'],
  },
}

interface Names {
  first: string
  second: string
  skipped: string
}

interface HookFailure {
  name: string
  hook: Hook
  isNested: boolean
  /** Steps beside the test outside; each framework blames its own. */
  steps: (dialect: Dialect, names: Names) => ExpectedRun['steps']
  isCore?: boolean
}

function hookFailure({ name, hook, isNested, steps, isCore }: HookFailure): Behaviour {
  const { outside, ...names } = isNested ? AT.nested : AT.file
  return {
    name,
    ...(isCore && { isCore }),
    scenario: (dialect) => {
      const inner = steps(dialect, names)
      const tests = 3 + outside.length
      const ran = inner.filter(([step]) => !step.endsWith(' hook')).length + outside.length
      const file: OneFile = {
        body: throwing(hook, isNested, dialect),
        steps: [...outside, ...inner],
        variables: { tests_skipped: String(tests - ran) },
        log: ['hook broke'],
      }
      return oneFile(dialect, file)
    },
  }
}

/** Jest fails every test behind the hook, Vitest runs none of them, Playwright fails the first and runs no other. */
const beforeAllSteps: HookFailure['steps'] = (dialect, { first, second }) =>
  pick<ExpectedRun['steps']>(dialect, {
    jest: [
      [first, 'FAIL'],
      [second, 'FAIL'],
    ],
    vitest: [['beforeAll hook', 'FAIL']],
    playwright: [[first, 'FAIL']],
  })

/** Jest and Vitest attribute the error to no test, Playwright to the last one, even if that was skipped. */
const afterAllSteps: HookFailure['steps'] = (dialect, { first, second, skipped }) => {
  const blamingNone: ExpectedRun['steps'] = [
    [first, 'PASS'],
    [second, 'PASS'],
    ['afterAll hook', 'FAIL'],
  ]
  return pick<ExpectedRun['steps']>(dialect, {
    jest: blamingNone,
    vitest: blamingNone,
    playwright: [
      [first, 'PASS'],
      [second, 'PASS'],
      [skipped, 'FAIL'],
    ],
  })
}

const eachSteps: HookFailure['steps'] = (_dialect, { first, second }) => [
  [first, 'FAIL'],
  [second, 'FAIL'],
]

export const HOOKS: Chapter = {
  title: 'Hooks that fail',
  behaviours: [
    hookFailure({
      name: 'a beforeAll error of a file is a failed step, and skipped tests stay skipped',
      hook: 'beforeAll',
      isNested: false,
      steps: beforeAllSteps,
      isCore: true,
    }),
    hookFailure({
      name: 'a beforeAll error of a describe leaves the tests outside alone',
      hook: 'beforeAll',
      isNested: true,
      steps: beforeAllSteps,
    }),
    hookFailure({
      name: 'an afterAll error of a file fails its run',
      hook: 'afterAll',
      isNested: false,
      steps: afterAllSteps,
      isCore: true,
    }),
    hookFailure({
      name: 'an afterAll error of a describe fails its run',
      hook: 'afterAll',
      isNested: true,
      steps: afterAllSteps,
    }),
    hookFailure({
      name: 'a beforeEach error of a file fails every test that ran',
      hook: 'beforeEach',
      isNested: false,
      steps: eachSteps,
    }),
    hookFailure({
      name: 'a beforeEach error of a describe fails the tests inside it only',
      hook: 'beforeEach',
      isNested: true,
      steps: eachSteps,
    }),
    hookFailure({
      name: 'an afterEach error of a file fails every test that ran',
      hook: 'afterEach',
      isNested: false,
      steps: eachSteps,
    }),
    hookFailure({
      name: 'an afterEach error of a describe fails the tests inside it only',
      hook: 'afterEach',
      isNested: true,
      steps: eachSteps,
    }),
    ...(['beforeAll', 'afterAll', 'beforeEach', 'afterEach'] as const).map((hook): Behaviour => ({
      name: `a broken ${hook} hook of a file whose tests are all skipped is not run`,
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect[hook]}(() => { ${THROW} })\ntest.skip('waits', () => {})\n`,
          steps: [],
        }),
    })),
  ],
}
