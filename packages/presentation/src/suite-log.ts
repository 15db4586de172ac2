import { parseDurationUs, type Phase, STEP_NAME_SEPARATOR } from '@runledger/protocol'
import { isFailing } from './outcome'

export interface SuiteLog {
  tests: LoggedTest[]
  /** Its end is missing. */
  isCut: boolean
}

interface LoggedSuite {
  file: string
  /** The first line of output outside of tests. */
  outputLine: number | undefined
}

interface LoggedTest {
  suite: LoggedSuite
  hasFailed: boolean
  /** Its name, then further facts in brackets. */
  head: string
  line: number
  attempts: LoggedAttempt[]
}

interface LoggedAttempt {
  outputs: PrintedText[]
  line: number
  /** Its output may continue where the log was cut. */
  isCut: boolean
}

export interface PrintedText {
  stream: 'stdout' | 'stderr'
  lines: string[]
}

/**
 * An attempt's output with its line in the log, from 1; or only where in the log it may be: at the test, in its file's
 * output, or anywhere.
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
// A test cannot print it: output begins with a bar.
const CUT_NOTE = /^… the log is longer than maxAttachmentBytes \(\d+\)$/

/**
 * Reads a log of `core/src/record/suite-log.ts`. Each kind of line has its own margin and place, so that output cannot
 * look like a heading. @param isCut Whether the text is only the beginning of the log
 */
export function parseSuiteLog(text: string, isCut = false): SuiteLog {
  const reader = new LogReader()
  let number = 1
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\r$/, '')
    reader.take(line, number)
    // Logs are displayed with a line break at each of these too.
    number += line.split('\r').length
  }
  return reader.end(isCut)
}

class LogReader {
  readonly #tests: LoggedTest[] = []
  #suite: LoggedSuite | undefined
  /** The part of a suite being read. */
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

  /** The test whose end has not been read. */
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

  // The first attempt follows its test's heading, each other has the next number.
  #takeAttempt(line: string, number: number, { attempts, line: headLine }: LoggedTest): void {
    const told = Number(ATTEMPT.exec(line)?.[1])
    if (told === attempts.length + 1) attempts.push({ outputs: [], line: number, isCut: false })
    else if (told === 1 && number === headLine + 1 && attempts[0]) attempts[0].line = number
  }
}

/** Output of a step, which is a test, in an attempt, from 1; undefined if there is none, or the log does not say. */
export function findPrinted(log: SuiteLog, phase: Phase, attempt: number): Printed | undefined {
  if (phase.kind !== undefined && phase.kind !== 'test') return undefined
  const tests = findTests(log, phase)
  const test = tests.length === 1 ? tests[0] : undefined
  // Tests with equal names cannot be distinguished.
  if (!test) return log.isCut || tests.length > 1 ? { kind: 'log' } : undefined
  const isLast = test === log.tests.at(-1)
  const told = test.attempts[attempt - 1]
  if (!told) return log.isCut && isLast ? { kind: 'test', line: test.line } : undefined
  if (told.isCut) return { kind: 'test', line: told.line }
  if (told.outputs.length > 0) return { kind: 'text', outputs: told.outputs, line: told.line }
  const line = test.suite.outputLine
  return line === undefined ? undefined : { kind: 'file', line }
}

/** The tests that a step may be. Only step names are numbered if they are equal. */
function findTests({ tests }: SuiteLog, phase: Phase): LoggedTest[] {
  const names = [phase.name, phase.name.replace(/ \(\d+\)$/, '')]
  const exact = tests.filter((test) => isNamed(test, phase.name))
  const named = tests.filter((test) => names.some((name) => isNamed(test, name)))
  if (exact.length === 1 && named.length === 1) return exact
  return named.filter((test) => names.some((name) => isNamed(test, name, phase)))
}

const FACTS = /^\((\d+) ms(?:, \d+ attempts)?(?:, flaky)?(?:, .*)?\)$/

/** Whether a test has this name and the step's result and duration. */
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
