import { parseDurationUs, type Phase, STEP_NAME_SEPARATOR } from '@runledger/protocol'
import { isFailing } from './outcome'

/** The log of a run's suites, as far as it tells which test printed what. */
export interface SuiteLog {
  tests: LoggedTest[]
  /** Whether its end is missing. */
  isCut: boolean
}

interface LoggedSuite {
  file: string
  /** The first line of what was printed outside of its tests. */
  outputLine: number | undefined
}

interface LoggedTest {
  suite: LoggedSuite
  hasFailed: boolean
  /** Its name, and then in brackets what else is told of it. */
  head: string
  line: number
  attempts: LoggedAttempt[]
}

interface LoggedAttempt {
  outputs: PrintedText[]
  line: number
  /** Whether what it printed may go on where the log was cut. */
  isCut: boolean
}

/** What was printed in one go. */
export interface PrintedText {
  stream: 'stdout' | 'stderr'
  lines: string[]
}

/**
 * What a test printed in an attempt, and the line of the log where that begins, counted from 1; or only where in the log
 * it may be: at the test, among what its file printed, or anywhere.
 */
export type Printed =
  | { kind: 'text'; outputs: PrintedText[]; line: number }
  | { kind: 'test' | 'file'; line: number }
  | { kind: 'log' }

const SUITE = /^suite {6}(.*)$/
const TEST = /^(?:✓ passed|(✗ failed)|- skipped|- todo|- did not run) {2}(.*)$/
const ATTEMPT = /^ {4}attempt (\d+): \S/
const OUTPUT = /^ {4}(stdout|stderr)(?: |$)/
const OUTPUT_LINE = /^ {6}\|(?: (.*))?$/s
const SUITE_OUTPUT = /^(?:stdout|stderr)(?: |$)/
// At its place a test cannot print it: what it prints begins with a bar.
const CUT_NOTE = /^… the log is longer than maxAttachmentBytes \(\d+\)$/

/**
 * Reads a log as `core/src/record/suite-log.ts` writes it. Each kind of line has a margin of its own, and counts only
 * where one of its kind may stand, so that nothing that a test prints or throws is taken for a heading.
 * @param isCut Whether the text is only the beginning of the log
 */
export function parseSuiteLog(text: string, isCut = false): SuiteLog {
  const reader = new LogReader()
  let number = 1
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\r$/, '')
    reader.take(line, number)
    // Whoever shows the log begins a line at each of these too.
    number += line.split('\r').length
  }
  return reader.end(isCut)
}

class LogReader {
  readonly #tests: LoggedTest[] = []
  #suite: LoggedSuite | undefined
  /** What of a suite is being read: its head, its tests, or what comes after them. */
  #part: 'head' | 'tests' | 'rest' = 'rest'
  #test: LoggedTest | undefined
  #output: PrintedText | undefined
  #before = ''
  #isCut = false

  take(line: string, number: number): void {
    const printed = this.#output && OUTPUT_LINE.exec(line)
    if (printed) this.#output?.lines.push(...(printed[1] ?? '').split('\r'))
    else {
      this.#output = undefined
      if (line.startsWith(' ')) this.#takeWithinTest(line, number)
      else this.#takeHeading(line, number)
    }
    this.#before = line
  }

  end(isCut: boolean): SuiteLog {
    const last = this.#last?.attempts.at(-1)
    if (last && (isCut || this.#isCut)) last.isCut = true
    return { tests: this.#tests, isCut: isCut || this.#isCut }
  }

  /** The test whose end has not been seen yet. */
  get #last(): LoggedTest | undefined {
    return this.#part === 'tests' ? this.#tests.at(-1) : undefined
  }

  #takeHeading(line: string, number: number): void {
    if (CUT_NOTE.test(line)) this.#isCut = true
    else if (line === '') this.#part = this.#part === 'head' ? 'tests' : this.#part
    else if (SUITE.test(line) && this.#before === '') {
      this.#suite = { file: SUITE.exec(line)?.[1] ?? '', outputLine: undefined }
      this.#part = 'head'
      this.#test = undefined
    } else if (this.#suite && this.#part !== 'head') this.#takeTest(line, number, this.#suite)
  }

  #takeTest(line: string, number: number, suite: LoggedSuite): void {
    const [, failed, head] = (this.#part === 'tests' && TEST.exec(line)) || []
    this.#test = undefined
    if (head === undefined) {
      this.#part = 'rest'
      if (SUITE_OUTPUT.test(line)) suite.outputLine ??= number
      return
    }
    const attempts = [{ outputs: [], line: number, isCut: false }]
    this.#test = { suite, hasFailed: failed !== undefined, head, line: number, attempts }
    this.#tests.push(this.#test)
  }

  #takeWithinTest(line: string, number: number): void {
    const test = this.#test
    const attempt = test?.attempts.at(-1)
    if (!test || !attempt) return
    const stream = OUTPUT.exec(line)?.[1]
    if (stream === 'stdout' || stream === 'stderr') {
      if (attempt.outputs.length === 0) attempt.line = number
      this.#output = { stream, lines: [] }
      attempt.outputs.push(this.#output)
    } else this.#takeAttempt(line, number, test)
  }

  // The first one follows the heading of its test, each other has the next number.
  #takeAttempt(line: string, number: number, { attempts, line: headLine }: LoggedTest): void {
    const told = Number(ATTEMPT.exec(line)?.[1])
    if (told === attempts.length + 1) attempts.push({ outputs: [], line: number, isCut: false })
    else if (told === 1 && number === headLine + 1 && attempts[0]) attempts[0].line = number
  }
}

/**
 * What a step, which is a test, printed in one of its attempts, counted from 1; undefined where that is nothing, or where
 * the log does not tell of it.
 */
export function findPrinted(log: SuiteLog, phase: Phase, attempt: number): Printed | undefined {
  if (phase.kind !== undefined && phase.kind !== 'test') return undefined
  const tests = findTests(log, phase)
  const test = tests.length === 1 ? tests[0] : undefined
  // Of tests with one name it cannot be told which of them it was.
  if (!test) return log.isCut || tests.length > 1 ? { kind: 'log' } : undefined
  const isLast = test === log.tests.at(-1)
  const told = test.attempts[attempt - 1]
  if (!told) return log.isCut && isLast ? { kind: 'test', line: test.line } : undefined
  if (told.isCut) return { kind: 'test', line: told.line }
  if (told.outputs.length > 0) return { kind: 'text', outputs: told.outputs, line: told.line }
  const line = test.suite.outputLine
  return line === undefined ? undefined : { kind: 'file', line }
}

/** The tests that a step may be. Only a step's name has a number where several are called the same. */
function findTests({ tests }: SuiteLog, phase: Phase): LoggedTest[] {
  const names = [phase.name, phase.name.replace(/ \(\d+\)$/, '')]
  const exact = tests.filter((test) => isNamed(test, phase.name))
  const named = tests.filter((test) => names.some((name) => isNamed(test, name)))
  if (exact.length === 1 && named.length === 1) return exact
  return named.filter((test) => names.some((name) => isNamed(test, name, phase)))
}

const FACTS = /^\((\d+) ms(?:, \d+ attempts)?(?:, flaky)?(?:, .*)?\)$/

/** Tells whether a test has a name and, where a step is given, came to the same in the same time. */
function isNamed({ suite, head, hasFailed }: LoggedTest, stepName: string, phase?: Phase): boolean {
  const prefix = suite.file + STEP_NAME_SEPARATOR
  return [stepName, ...(stepName.startsWith(prefix) ? [stepName.slice(prefix.length)] : [])].some((name) => {
    if (head === name) return phase === undefined
    const facts = head.startsWith(`${name} `) ? FACTS.exec(head.slice(name.length + 1)) : null
    if (!facts || phase === undefined) return facts !== null
    const lengthMs = (parseDurationUs(phase.duration) ?? NaN) / 1000
    return hasFailed === isFailing(phase.outcome) && Math.abs(lengthMs - Number(facts[1])) <= 1
  })
}
