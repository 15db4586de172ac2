/** Which attempt of which test of the file a call belongs to. */
export interface TestKey {
  /** Describe titles, outermost first, then the test's own. */
  titles: string[]
  /** How many tests of the same titles are before it in the file. */
  occurrence: number
  /** Counted from 1. */
  attempt: number
  /** When the attempt began, as Jest counts it. */
  startedAtMs?: number | undefined
}

/** Only a full name is known, titles joined by spaces: another runner than Jest's own. */
export interface NamedKey {
  fullName: string
}

/** The part of jest-circus's state that we read; it is the same in Jest 29 and 30. */
interface CircusTest {
  type: 'test'
  name: string
  parent: CircusBlock
  concurrent?: boolean
  invocations: number
  startedAt?: number | null
}
interface CircusBlock {
  type: 'describeBlock'
  name: string
  parent?: CircusBlock
  children: (CircusBlock | CircusTest)[]
}
interface CircusState {
  rootDescribeBlock: CircusBlock
  currentlyRunningTest?: CircusTest | null
}

/** What `expect.getState()` tells, read from where every copy of `expect` keeps it: ESM tests have no other way in. */
interface ExpectState {
  testPath?: string
  currentTestName?: string
  /** In a concurrent test, by its asynchronous context. */
  currentConcurrentTestName?: () => string | undefined
  /** The same by identity; since Jest 30. */
  currentTestIdentity?: () => unknown
}

const EXPECT = Symbol.for('$$jest-matchers-object')

/** Path of the running test file; undefined outside of Jest. */
export function findTestPath(): string | undefined {
  return readExpectState()?.testPath
}

/** The running test; undefined at the head of a file, in a describe block, and in beforeAll and afterAll hooks. */
export function findTest(): TestKey | NamedKey | undefined {
  const expectState = readExpectState()
  const circus = readCircusState()
  if (circus === undefined) {
    const fullName = expectState?.currentTestName
    return fullName === undefined ? undefined : { fullName }
  }
  const test = findCircusTest(circus, expectState)
  return test && describeTest(test, circus.rootDescribeBlock)
}

let expectHolder: { state?: ExpectState } | undefined

// Read once: in Jest's contexts a global costs microseconds. Neither object is replaced while a test file runs.
function readExpectState(): ExpectState | undefined {
  expectHolder ??= (globalThis as { [EXPECT]?: { state?: ExpectState } })[EXPECT]
  return expectHolder?.state
}

let circusState: CircusState | undefined

function readCircusState(): CircusState | undefined {
  circusState ??= seekCircusState()
  return circusState
}

function seekCircusState(): CircusState | undefined {
  const symbol = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === 'JEST_STATE_SYMBOL',
  )
  const state = symbol && (globalThis as unknown as Record<symbol, CircusState | undefined>)[symbol]
  return state?.rootDescribeBlock === undefined ? undefined : state
}

function findCircusTest(circus: CircusState, expectState: ExpectState | undefined): CircusTest | undefined {
  const identity = expectState?.currentTestIdentity?.()
  if (isTest(identity)) return identity
  const name = expectState?.currentConcurrentTestName?.()
  if (name !== undefined) {
    const named = listTests(circus.rootDescribeBlock).filter((test) => joinTitles(test) === name)
    return named.find(({ concurrent }) => concurrent) ?? named[0]
  }
  return circus.currentlyRunningTest ?? undefined
}

function isTest(value: unknown): value is CircusTest {
  return typeof value === 'object' && value !== null && (value as Partial<CircusTest>).parent !== undefined
}

const occurrences = new WeakMap<CircusBlock, Map<CircusTest, number>>()
const keys = new WeakMap<CircusTest, TestKey>()

/** The same object for all calls of one attempt. */
function describeTest(test: CircusTest, root: CircusBlock): TestKey {
  // Jest 29 runs concurrent tests before it counts their attempts.
  const attempt = test.invocations || 1
  const known = keys.get(test)
  if (known?.attempt === attempt) return known
  const counts = occurrences.get(root) ?? countOccurrences(root)
  occurrences.set(root, counts)
  const startedAtMs = test.startedAt ?? undefined
  const key = { titles: listTitles(test), occurrence: counts.get(test) ?? 0, attempt, startedAtMs }
  keys.set(test, key)
  return key
}

function countOccurrences(root: CircusBlock): Map<CircusTest, number> {
  const counts = new Map<string, number>()
  return new Map(
    listTests(root).map((test) => {
      const key = JSON.stringify(listTitles(test))
      const count = counts.get(key) ?? 0
      counts.set(key, count + 1)
      return [test, count]
    }),
  )
}

function listTests(block: CircusBlock): CircusTest[] {
  return block.children.flatMap((child) => (child.type === 'test' ? [child] : listTests(child)))
}

function listTitles({ name, parent }: CircusTest): string[] {
  const titles = [name]
  for (let block: CircusBlock | undefined = parent; block?.parent; block = block.parent)
    titles.unshift(block.name)
  return titles
}

/** As Jest names tests: `currentTestName`. */
function joinTitles(test: CircusTest): string {
  return listTitles(test).join(' ')
}
