import { DIALECTS, type Dialect } from '../dialect'
import type { Target } from '../target'
import { HEADS } from './heads'
import { STALLS, type GroupNode, type Hook, type TestNode, type Tree } from './tree'

const STALL_LIMIT_MS = 1_000

/** Writes a tree as a test file of the target's framework. */
export function renderTree(tree: Tree, { framework }: Target): string {
  const dialect = DIALECTS[framework]
  const writer = new Writer(dialect, tree.retries)
  const body = writer.writeContent(tree.root)
  const retries = {
    jest: dialect.retryLine(tree.retries),
    vitest: '',
    playwright: `test.describe.configure({ retries: ${tree.retries} })\n`,
  }
  const end = tree.breaksAtLoad ? "throw new Error('cannot be loaded')\n" : ''
  return dialect.head + HEADS[framework] + (tree.retries > 0 ? retries[framework] : '') + body + end
}

class Writer {
  readonly #dialect: Dialect
  readonly #retries: number

  constructor(dialect: Dialect, retries: number) {
    this.#dialect = dialect
    this.#retries = retries
  }

  writeContent(group: GroupNode): string {
    const isParallel = group.concurrent && this.#dialect.framework === 'playwright'
    const mode = group.serial ? 'serial' : isParallel ? 'parallel' : undefined
    const configure = mode ? `test.describe.configure({ mode: '${mode}' })\n` : ''
    const children = group.children.map((node) =>
      node.kind === 'group' ? this.#writeGroup(node) : this.#writeTest(node),
    )
    return configure + group.hooks.map((hook) => this.#writeHook(hook)).join('') + children.join('')
  }

  #writeGroup(group: GroupNode): string {
    const { describe, skipDescribe, framework } = this.#dialect
    const isConcurrent = group.concurrent && framework === 'vitest'
    const call = group.mode === 'skip' ? skipDescribe : isConcurrent ? `${describe}.concurrent` : describe
    const content = `{\n${this.writeContent(group)}}`
    if (framework === 'playwright') return repeat(group, (title) => `${call}(${title}, () => ${content})\n`)
    const title = JSON.stringify(listedTitle(group))
    if (group.cases > 1) return `${call}.each(${numbers(group.cases)})(${title}, () => ${content})\n`
    return `${call}(${title}, () => ${content})\n`
  }

  #writeHook({ id, kind, fails, failure }: Hook): string {
    const { framework } = this.#dialect
    const condition = fails === 'first' ? `if (${ATTEMPTS[framework]} === 1) ` : ''
    const body = fails === 'never' ? '' : `${condition}return failures[${failure}](mark('h${id}'))`
    const needsContext = fails === 'first' && framework !== 'jest'
    const limit = failure === STALLS && framework !== 'playwright' ? `, ${STALL_LIMIT_MS}` : ''
    return `${this.#dialect[kind]}(${needsContext ? CONTEXTS[framework] : 'async ()'} => { ${body} }${limit})\n`
  }

  #writeTest(test: TestNode): string {
    const { framework } = this.#dialect
    if (framework === 'jest') return this.#writeJestTest(test)
    return framework === 'vitest' ? this.#writeVitestTest(test) : this.#writePlaywrightTest(test)
  }

  #writeJestTest(test: TestNode): string {
    const title = JSON.stringify(listedTitle(test))
    const { mode, concurrent, expectsFailure, cases } = test
    if (mode === 'todo') return repeatTodo(test)
    const calls = [concurrent && 'concurrent', mode === 'skip' && 'skip', expectsFailure && 'failing']
    // There is no `test.concurrent.skip.failing`; what is skipped is neither.
    const chain = mode === 'skip' ? ['skip'] : calls.filter(Boolean)
    const body = concurrent
      ? `counting(async (attempt) => { ${play(test, 'attempt')} })`
      : `async () => { ${play(test, ATTEMPTS.jest)} }`
    const each = cases > 1 ? `.each(${numbers(cases)})` : ''
    const limit = test.script.includes('stall') ? `, ${STALL_LIMIT_MS}` : ''
    return `${['test', ...chain].join('.')}${each}(${title}, ${body}${limit})\n`
  }

  #writeVitestTest(test: TestNode): string {
    const { mode, expectsFailure, concurrent, cases } = test
    if (mode === 'todo') return repeatTodo(test)
    const options = [
      this.#retries > 0 && `retry: ${this.#retries}`,
      expectsFailure && 'fails: true',
      concurrent && 'concurrent: true',
      test.script.includes('stall') && `timeout: ${STALL_LIMIT_MS}`,
    ].filter(Boolean)
    const call = `test${mode === 'skip' ? '.skip' : ''}${cases > 1 ? `.for(${numbers(cases)})` : ''}`
    const parameters = cases > 1 ? 'async (n, { task, skip })' : 'async ({ task, skip })'
    const rest = `{ ${options.join(', ')} }, ${parameters} => { ${play(test, ATTEMPTS.vitest)} }`
    return `${call}(${JSON.stringify(listedTitle(test))}, ${rest})\n`
  }

  #writePlaywrightTest(test: TestNode): string {
    const inside = test.expectsFailure === 'inside' ? 'test.fail(); ' : ''
    const modes = { run: test.expectsFailure === 'declared' ? 'test.fail' : 'test', skip: 'test.skip' }
    const call = { ...modes, todo: 'test.fixme' }[test.mode]
    const body = `${CONTEXTS.playwright} => { ${inside}${play(test, ATTEMPTS.playwright)} }`
    return repeat(test, (title) => `${call}(${title}, ${body})\n`)
  }
}

/** Number of the current attempt, from 1. */
const ATTEMPTS = {
  jest: 'circus.currentlyRunningTest.invocations',
  vitest: 'task.result.retryCount + 1',
  playwright: 'info.retry + 1',
}
const CONTEXTS = { jest: 'async ()', vitest: 'async ({ task })', playwright: 'async ({}, info)' }

function play({ id, script, failure }: TestNode, attempt: string): string {
  const skip = script.includes('skip') ? ', () => skip()' : ''
  return `await play(${JSON.stringify(script)}, ${attempt}, ${id}, ${failure}${skip})`
}

function listedTitle({
  title,
  cases,
  numbered,
}: {
  title: string
  cases: number
  numbered: boolean
}): string {
  return cases > 1 && numbered ? `${title} %s` : title
}

function numbers(count: number): string {
  return JSON.stringify(Array.from({ length: count }, (_, index) => index + 1))
}

/** A loop where a framework has no `each`; the number is in the title, as equal ones are refused. */
function repeat(node: { title: string; cases: number }, write: (title: string) => string): string {
  if (node.cases <= 1) return write(JSON.stringify(node.title))
  return `for (const n of ${numbers(node.cases)}) ${write(`${JSON.stringify(node.title + ' ')} + n`)}`
}

function repeatTodo(test: TestNode): string {
  const titles = Array.from({ length: test.cases }, (_, index) =>
    test.cases > 1 && test.numbered ? `${test.title} ${index + 1}` : test.title,
  )
  return titles.map((title) => `test.todo(${JSON.stringify(title)})\n`).join('')
}
