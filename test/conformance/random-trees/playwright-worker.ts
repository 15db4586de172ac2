import {
  STALLS,
  markAttempt,
  markHook,
  type GroupNode,
  type Hook,
  type HookKind,
  type TestNode,
} from './tree'

export type Status = 'passed' | 'failed' | 'timedOut' | 'skipped'

/** A test with what Playwright Test has made of it up to now. */
export interface PlayedTest {
  titles: string[]
  /** Outermost first, the file among them. */
  groups: GroupNode[]
  node: TestNode
  /** Status that its declaration asks for. */
  declared: Status
  /** Status that it asked for in the end. */
  expected: Status
  results: Status[]
  /** For each result what the attempt asked for before it may have skipped itself. */
  asked: Status[]
  /** Marks of each result's errors; undefined for one that no worker began. */
  errors: (string[] | undefined)[]
  began: number
}

/** What all workers of an execution share. */
export interface CommandContext {
  /** Counts the attempts that have begun. */
  now: number
  /** Version 1.40 keeps of each attempt's thrown errors only the first. */
  keepsAllErrors: boolean
}

export interface WorkerResult {
  failed: PlayedTest[]
  /** Tests that the worker did not come to. */
  rest: PlayedTest[]
  /** Those of them that wait behind a beforeAll hook that failed. */
  blocked: PlayedTest[]
}

/** One worker process of Playwright Test: it plays tests in order, and stops after the first that fails. */
export class PlaywrightWorker {
  readonly #context: CommandContext
  /** Groups whose beforeAll hooks have run, and whose afterAll hooks have not. */
  readonly #active = new Set<GroupNode>()
  #brokenGroup: GroupNode | undefined

  constructor(context: CommandContext) {
    this.#context = context
  }

  play(tests: PlayedTest[]): WorkerResult {
    let failed: PlayedTest[] = []
    let played = 0
    while (failed.length === 0 && played < tests.length) {
      const test = tests[played] as PlayedTest
      if (this.#playTest(test, tests[played + 1])) failed = [test]
      played += 1
    }
    const rest = tests.slice(played)
    const broken = this.#brokenGroup
    const blocked = broken ? rest.filter(({ groups }) => groups.includes(broken)) : []
    return { failed, rest, blocked }
  }

  /** Adds a result to the test; true when it is none that was expected. */
  #playTest(test: PlayedTest, next: PlayedTest | undefined): boolean {
    const innerFirst = test.groups.toReversed()
    const goOn = (group: GroupNode) => next?.groups.includes(group) === true
    const isDue = innerFirst.some(
      (group) =>
        this.#active.has(group) && !goOn(group) && group.hooks.some(({ kind }) => kind === 'afterAll'),
    )
    const attempt = new Attempt(test, this.#context.keepsAllErrors)
    this.#context.now += 1
    if (test.began < 0) test.began = this.#context.now
    if (test.declared !== 'skipped') this.#playBody(test, attempt)
    else if (next && !isDue) return attempt.end()
    // A skipped test, too, is blamed for the afterAll hooks that are run after it.
    for (const group of innerFirst) if (!goOn(group) || attempt.isFailure()) this.#leave(group, attempt)
    if (attempt.isFailure()) for (const group of innerFirst) this.#leave(group, attempt)
    return attempt.end()
  }

  #playBody(test: PlayedTest, attempt: Attempt): void {
    for (const group of test.groups) if (!this.#enter(group, attempt)) return
    if (attempt.playHooks(test.groups, 'beforeEach')) attempt.playScript()
    attempt.playHooks(test.groups.toReversed(), 'afterEach')
  }

  #enter(group: GroupNode, attempt: Attempt): boolean {
    if (this.#active.has(group)) return true
    this.#active.add(group)
    const isGood = attempt.playHooks([group], 'beforeAll')
    if (!isGood) this.#brokenGroup ??= group
    return isGood
  }

  #leave(group: GroupNode, attempt: Attempt): void {
    if (this.#active.delete(group)) attempt.playHooks([group], 'afterAll')
  }
}

/** One attempt of a test, with the status that it has and the one that it asks for. */
class Attempt {
  readonly #test: PlayedTest
  #status: Status
  #expected: Status
  /** What was expected before the attempt skipped itself. */
  #asked: Status
  readonly #errors: string[] = []
  readonly #keepsAllErrors: boolean
  #hasThrown = false

  constructor(test: PlayedTest, keepsAllErrors: boolean) {
    this.#test = test
    this.#keepsAllErrors = keepsAllErrors
    this.#expected = this.#asked = test.declared
    this.#status = test.declared === 'skipped' ? 'skipped' : 'passed'
  }

  isFailure(): boolean {
    return this.#status !== 'skipped' && this.#status !== this.#expected
  }

  /** Plays all hooks of a kind; false when one of them fails. */
  playHooks(groups: GroupNode[], kind: HookKind): boolean {
    const isFirst = this.#test.results.length === 0
    const isBroken = ({ fails }: Hook) => fails === 'always' || (fails === 'first' && isFirst)
    const hooks = groups.flatMap((group) => group.hooks)
    const broken = hooks.filter((hook) => hook.kind === kind && isBroken(hook))
    // Hooks around a test share its time; the others have one each.
    const last = kind.endsWith('Each') ? broken.findIndex(({ failure }) => failure === STALLS) : -1
    for (const hook of last < 0 ? broken : broken.slice(0, last + 1))
      this.#fail(hook.failure === STALLS ? 'timedOut' : 'failed', markHook(hook))
    return broken.length === 0
  }

  playScript(): void {
    const { node, results } = this.#test
    const { script, expectsFailure } = node
    const number = results.length + 1
    if (expectsFailure === 'inside') this.#expected = this.#asked = 'failed'
    const act = script[Math.min(number, script.length) - 1]
    if (act === 'fail') this.#fail('failed', markAttempt(node, number))
    if (act === 'stall') this.#fail('timedOut', '')
    if (act === 'skip') this.#expected = this.#status = 'skipped'
  }

  end(): boolean {
    this.#test.results.push(this.#status)
    this.#test.asked.push(this.#asked)
    this.#test.errors.push(this.#errors)
    this.#test.expected = this.#expected
    return this.isFailure()
  }

  #fail(status: Status, mark: string): void {
    if (status === 'timedOut' || this.#keepsAllErrors || !this.#hasThrown) this.#errors.push(mark)
    if (status !== 'timedOut') this.#hasThrown = true
    if (this.#status === 'passed' || this.#status === 'skipped') this.#status = status
  }
}
