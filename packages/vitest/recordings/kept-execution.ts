import type { Execution, ExecutionFacts, ExecutionResult, Problem, Suite } from '@runledger/core'
import type { Core } from '@runledger/core/link'

const UPLOADED: ExecutionResult = { status: 'uploaded', runs: 1, failedRuns: 0, url: 'x', notUploaded: [] }

/** Core as a reporter sees it, keeping what it is given. */
export class KeptExecution implements Execution {
  readonly suites: Suite[] = []
  readonly problems: Problem[] = []
  facts: ExecutionFacts | undefined
  finished = 0
  /** How many suites there were each time it was told that the end is near. */
  readonly preparedAfter: number[] = []

  constructor(private readonly result: ExecutionResult = UPLOADED) {}

  /** Those that are added again have changed. */
  addSuite(suite: Suite): void {
    if (!this.suites.includes(suite)) this.suites.push(suite)
  }

  addProblem(problem: Problem): void {
    this.problems.push(problem)
  }

  prepareEnd(): void {
    this.preparedAfter.push(this.suites.length)
  }

  testsEnded(): void {}

  async settled(): Promise<void> {}

  async finish(): Promise<ExecutionResult> {
    this.finished += 1
    return this.result
  }

  suite(file: string): Suite {
    const found = this.suites.find((suite) => suite.file === file)
    if (!found) throw new Error(`no suite ${file}: ${this.suites.map((suite) => suite.file).join(', ')}`)
    return found
  }

  readonly load = (): Promise<Core> =>
    Promise.resolve({
      createExecution: (facts) => {
        this.facts = facts
        return this
      },
    })
}
