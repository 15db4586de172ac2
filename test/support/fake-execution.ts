import type {
  Execution,
  ExecutionFacts,
  ExecutionResult,
  FrameworkEnd,
  Problem,
  Suite,
} from '@runledger/core'
import type { Core } from '@runledger/reporter-kit'

const UPLOADED: ExecutionResult = { status: 'uploaded', runs: 1, failedRuns: 0, url: 'x', notUploaded: [] }

/** Core as a reporter sees it; keeps what it is given. */
export class FakeExecution implements Execution {
  readonly suites: Suite[] = []
  readonly problems: Problem[] = []
  /** Of every execution that was created. */
  readonly created: ExecutionFacts[] = []
  settledCount = 0
  finishedCount = 0
  /** What the reporter says of the framework's end; undefined: nothing is to be excused. */
  end: FrameworkEnd | undefined

  constructor(private readonly result: ExecutionResult = UPLOADED) {}

  readonly load = (): Core => ({
    createExecution: (facts) => {
      this.created.push(facts)
      return this
    },
  })

  /** A suite that is added again has changed. */
  addSuite(suite: Suite): void {
    if (!this.suites.includes(suite)) this.suites.push(suite)
  }

  addProblem(problem: Problem): void {
    this.problems.push(problem)
  }

  async settled(): Promise<void> {
    this.settledCount += 1
  }

  async finish(end?: FrameworkEnd): Promise<ExecutionResult> {
    this.end = end
    this.finishedCount += 1
    return this.result
  }

  /** The only suite of this file, in this project where several have it. */
  suite(file: string, project?: string): Suite {
    const found = this.suites.filter(
      (suite) => suite.file === file && (project === undefined || suite.project === project),
    )
    if (found.length !== 1 || !found[0]) throw new Error(`${found.length} suites of ${file}`)
    return found[0]
  }
}
