/** What a framework must make of one test, as its oracle says. */
export interface JudgedTest {
  titles: string[]
  /** `none`: it did not run to a verdict, and is no step. */
  verdict: 'passed' | 'failed' | 'none'
  flaky: boolean
  /** Attempts beyond the first that count as retries on record. */
  retries: number
  /**
   * For each attempt on record the marks of its errors, in order; an error without a mark is an empty one. A test without
   * a verdict may have tried, too.
   */
  attempts: string[][]
  /** When its first attempt began among all of the file; only the order counts. */
  began: number
  /** What the framework's own JSON report must say of it. */
  own: string
}

/** What a framework must make of one file. */
export interface JudgedFile {
  /** In the order in which they are declared. */
  tests: JudgedTest[]
  /** The errors that belong to no test: the names of their steps, and their marks. */
  problems: { name: string; mark: string }[]
  /** Whether this file makes the framework's command fail. */
  failsCommand: boolean
  /** Our policy is harsher than the framework: a failed run of a file that it passes. */
  failsOnRecordOnly?: boolean
}

/** What must be on record of one file; absent when it leaves no run. */
export interface ExpectedRecord {
  outcome: 'PASS' | 'FAIL'
  /** `PASS name` or `FAIL name`: tests in the order in which they began, then problems. */
  steps: string[]
  /** The times at which the tests began are in the order of their steps. */
  isInOrder: boolean
  counts: Record<'passed' | 'failed' | 'skipped' | 'flaky' | 'retries', number>
  /** The log's lines about the attempts of steps, as `formatLogLine` writes them, sorted. Undefined without a log. */
  log: string[] | undefined
}

/**
 * The record that packages/core/README.md#how-a-suite-is-recorded promises. `tellsTries`: whether the framework says which try an
 * error belongs to.
 */
export function expectRecord(
  { tests, problems }: JudgedFile,
  tellsTries: boolean,
): ExpectedRecord | undefined {
  const ran = tests.filter(({ verdict }) => verdict !== 'none').toSorted((a, b) => a.began - b.began)
  if (ran.length === 0 && problems.length === 0) return undefined
  const passed = ran.filter(({ verdict }) => verdict === 'passed')
  // Tests that did not run have names, too: the same test has the same name in every execution.
  const names = nameSteps([
    ...tests.map(({ titles }) => titles.join(' › ')),
    ...problems.map(({ name }) => name),
  ])
  const format = (test: JudgedTest) =>
    `${test.verdict === 'passed' ? 'PASS' : 'FAIL'} ${names[tests.indexOf(test)]}`
  // A log that only repeated the steps is not sent.
  const hasLog = problems.length > 0 || !tests.every(passesAtOnce)
  return {
    outcome: passed.length < ran.length || problems.length > 0 ? 'FAIL' : 'PASS',
    steps: [...ran.map(format), ...names.slice(tests.length).map((name) => `FAIL ${name}`)],
    isInOrder: true,
    counts: {
      passed: passed.length,
      failed: ran.length - passed.length,
      skipped: tests.length - ran.length,
      flaky: ran.filter(({ flaky }) => flaky).length,
      retries: tests.reduce((sum, { retries }) => sum + retries, 0),
    },
    log: hasLog ? listLogLines({ tests, problems }, tellsTries) : undefined,
  }
}

function passesAtOnce({ verdict, attempts }: JudgedTest): boolean {
  return verdict === 'passed' && attempts.length <= 1 && attempts.flat().length === 0
}

function listLogLines(
  { tests, problems }: Pick<JudgedFile, 'tests' | 'problems'>,
  tellsTries: boolean,
): string[] {
  return [
    ...tests
      .filter(({ attempts }) => attempts.length > 0)
      .map(({ titles, verdict, attempts }) =>
        formatLogLine(titles.join(' › '), verdict, tellsTries ? attempts : blurTries(attempts)),
      ),
    ...problems.map(({ name, mark }) => formatLogLine(name, 'failed', [[mark]])),
  ].toSorted()
}

/** All errors as if they were of the first try, each once. */
export function blurTries(attempts: string[][]): string[][] {
  return attempts.map((_, index) => (index === 0 ? [...new Set(attempts.flat())] : []))
}

/** A step in the log: its verdict, and the marks of the errors of each of its attempts. */
export function formatLogLine(name: string, verdict: JudgedTest['verdict'], attempts: string[][]): string {
  const marks = attempts.map((each) => each.filter((mark) => mark !== '').join(' ') || '-')
  return `${verdict} ${name}: ${marks.join(' | ')}`
}

/** Equal names get ` (2)`, ` (3)`, …: the lowest number that makes a name of its own. */
function nameSteps(names: string[]): string[] {
  const taken: string[] = []
  for (const name of names) {
    let own = name
    for (let number = 2; taken.includes(own); number += 1) own = `${name} (${number})`
    taken.push(own)
  }
  return taken
}
