export interface TestKey {
  titles: string[]
  /** The number of preceding tests with the same titles in the file. */
  occurrence: number
  attempt: number
  /** By Jest's own clock. */
  startedAtMs?: number | undefined
}

/** Other runners than jest-circus give only the full name, joined by spaces. */
export interface NamedKey {
  fullName: string
}

/** The part of jest-circus's state that we use, the same in Jest 29 and 30. */
export interface CircusTest {
  type: 'test'
  name: string
  parent: CircusBlock
  concurrent?: boolean
  failing?: boolean
  invocations: number
  startedAt?: number | null
  errors: unknown[]
  fn: (() => Promise<unknown>) | undefined
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

/** The result of `expect.getState()`, read from where every copy of `expect` keeps it: ESM tests cannot reach `expect`. */
interface ExpectState {
  testPath?: string
  /** Errors that fail the sequential test at its end. */
  suppressedErrors?: unknown[]
  currentTestName?: string
  /** From the asynchronous context. */
  currentConcurrentTestName?: () => string | undefined
  /** The jest-circus test; since Jest 30. */
  currentTestIdentity?: () => unknown
}

const EXPECT = Symbol.for('$$jest-matchers-object')

export function findTestPath(): string | undefined {
  return readExpectState()?.testPath
}

/** Undefined outside of tests: at the head of a file, in describe blocks, beforeAll and afterAll. */
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

/** Undefined outside of tests, for other runners, and if several concurrent tests have the name. */
export function findRunningTest(): CircusTest | undefined {
  const circus = readCircusState()
  if (circus === undefined) return undefined
  const expectState = readExpectState()
  const test = findCircusTest(circus, expectState)
  if (!test?.concurrent || expectState?.currentTestIdentity !== undefined) return test
  return listNamed(circus, joinTitles(test)).length === 1 ? test : undefined
}

/** Whether jest-circus awaits this test: before Jest 30, no other one. */
export function isAwaited(test: CircusTest): boolean {
  return readCircusState()?.currentlyRunningTest === test
}

export function readExpectState(): ExpectState | undefined {
  return (globalThis as { [EXPECT]?: { state?: ExpectState } })[EXPECT]?.state
}

let circusState: CircusState | undefined

// Constant while a file runs, and listing a sandbox's symbols is slow.
function readCircusState(): CircusState | undefined {
  return (circusState ??= findCircusState())
}

function findCircusState(): CircusState | undefined {
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
    const named = listNamed(circus, name)
    return named.find(({ concurrent }) => concurrent) ?? named[0]
  }
  return circus.currentlyRunningTest ?? undefined
}

function listNamed({ rootDescribeBlock }: CircusState, name: string): CircusTest[] {
  return listTests(rootDescribeBlock).filter((test) => joinTitles(test) === name)
}

function isTest(value: unknown): value is CircusTest {
  return typeof value === 'object' && value !== null && (value as Partial<CircusTest>).parent !== undefined
}

// Kept on loading, because a test may mock it.
const { stringify } = JSON

// Counted once for each file, because a test may make thousands of calls.
const occurrences = new WeakMap<CircusBlock, Map<CircusTest, number>>()

function describeTest(test: CircusTest, root: CircusBlock): TestKey {
  const counts = occurrences.get(root) ?? countOccurrences(root)
  occurrences.set(root, counts)
  return {
    titles: listTitles(test),
    occurrence: counts.get(test) ?? 0,
    // Jest 29 runs concurrent tests before it counts their attempts.
    attempt: test.invocations || 1,
    startedAtMs: test.startedAt ?? undefined,
  }
}

function countOccurrences(root: CircusBlock): Map<CircusTest, number> {
  const counts = new Map<string, number>()
  return new Map(
    listTests(root).map((test) => {
      const key = stringify(listTitles(test))
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

function joinTitles(test: CircusTest): string {
  return listTitles(test).join(' ')
}
