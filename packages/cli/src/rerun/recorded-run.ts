import { EXECUTION_FILE } from '@runledger/core/tools'
import {
  type Phase,
  type RunDetail,
  type RunListItem,
  STEP_NAME_SEPARATOR,
  type TestReference,
} from '@runledger/protocol'
import { readVariable } from '../ask/runs'

/** A test file in a project of the framework. */
export interface TestFile {
  package: string
  project: string
  /** Relative to the project's root. */
  file: string
  /** From the repository's root; undefined where it is not known. */
  fileInRepository: string | undefined
}

/** What has to be run again: a test, or without a name its whole file. */
export interface FailedTest extends TestFile {
  name: string | undefined
}

/** A test that did not run, with a reason: perhaps because of a failure beside it. */
export interface UnrunTest extends FailedTest {
  reason: string
}

/** What a run says of its tests. */
export interface RecordedRun {
  failed: FailedTest[]
  passed: FailedTest[]
  unrun: UnrunTest[]
  /** Errors that belong to no file. */
  elsewhere: string[]
  /** Why more tests may have failed than the run names. */
  unknown: string | undefined
}

export function readRecordedRun(run: RunDetail): RecordedRun {
  const files = new RunFiles(run)
  const tests = run.phases.filter(({ kind }) => kind === 'test')
  const failedTests = tests.filter(isFailed)
  const others = run.outcome === 'PASS' ? [] : run.phases.filter(isOutsideOfTests).map(({ name }) => name)
  const isUnexplained = run.outcome !== 'PASS' && failedTests.length + others.length === 0
  const problems = (isUnexplained ? [''] : others).map((name) => ({ name, file: files.fileOfProblem(name) }))
  return {
    failed: [
      ...failedTests.map(({ name }) => files.findTest(name)),
      ...problems.flatMap(({ file }) => file ?? []),
    ],
    passed: tests.filter(({ outcome }) => outcome === 'PASS').map(({ name }) => files.findTest(name)),
    unrun: (run.skipped ?? []).flatMap(({ name, reason }) =>
      reason === undefined ? [] : [{ ...files.findTest(name), reason }],
    ),
    elsewhere: problems.filter(({ file }) => file === undefined).map(({ name }) => name || run.outcome),
    unknown: findUnknown(run, { problems: others, ran: tests.length }),
  }
}

/** A test that passed: as the history names it, and as it has to be run again. */
export interface PassedTest extends Pick<TestReference, 'name' | 'file' | 'project'> {
  selected: FailedTest
}

export function listPassedTests(run: RunDetail): PassedTest[] {
  const files = new RunFiles(run)
  return run.phases
    .filter(({ kind, outcome }) => kind === 'test' && outcome === 'PASS')
    .map(({ name, location }) => ({
      name: name.trim(),
      file: location?.file ?? readVariable(run, 'file') ?? null,
      project: readVariable(run, 'project') ?? null,
      selected: files.findTest(name),
    }))
}

function findUnknown(
  run: RunDetail,
  { problems, ran }: { problems: readonly string[]; ran: number },
): string | undefined {
  if (problems.some((name) => name.split(STEP_NAME_SEPARATOR).at(-1) === INTERRUPTED))
    return 'An execution was cut short and may not have begun every file'
  const isUnloaded = run.outcome !== 'PASS' && ran + (run.skipped?.length ?? 0) === 0
  return isUnloaded && readVariable(run, 'framework') === 'playwright'
    ? 'Playwright runs no test if a file cannot be loaded'
    : undefined
}

/** The step of a file that a bail, a limit or a signal cut short. */
const INTERRUPTED = 'Interrupted'

/** Whether the run has several files. Its file is then the name of its project, or stands for the whole execution. */
export function hasSeveralFiles(run: Pick<RunListItem, 'metadata'>): boolean {
  const file = readVariable(run, 'file') ?? ''
  return file === EXECUTION_FILE || (file !== '' && file === readVariable(run, 'project'))
}

/** Names of steps begin with the file's path where a run has several files. */
class RunFiles {
  readonly #own: TestFile

  constructor(private readonly run: RunDetail) {
    const read = (name: string) => readVariable(run, name) ?? ''
    this.#own = {
      package: read('package'),
      project: read('project'),
      file: read('file'),
      fileInRepository: readVariable(run, 'file_in_repository'),
    }
  }

  findTest(name: string): FailedTest {
    if (hasSeveralFiles(this.run)) {
      const [file = '', ...titles] = name.split(STEP_NAME_SEPARATOR)
      return { ...this.#own, file, name: titles.join(STEP_NAME_SEPARATOR) || undefined }
    }
    return { ...this.#own, name: this.#isFileItself(name) ? undefined : name }
  }

  /** Undefined for an error of no file. */
  fileOfProblem(name: string): FailedTest | undefined {
    const [first = '', ...rest] = name.split(STEP_NAME_SEPARATOR)
    const file = hasSeveralFiles(this.run) ? (rest.length > 0 ? first : EXECUTION_FILE) : this.#own.file
    return file === EXECUTION_FILE || file === '' ? undefined : { ...this.#own, file, name: undefined }
  }

  /** Node counts a file that fails as a whole as one test with its path as name. */
  #isFileItself(name: string): boolean {
    return readVariable(this.run, 'framework') === 'node:test' && name === this.#own.file
  }
}

/** Identifies a test in all executions. */
export function keyOfTest(test: FailedTest): string {
  return JSON.stringify([keyOfFile(test), test.name ?? null])
}

export function keyOfFile({ package: name, project, file }: TestFile): string {
  return JSON.stringify([name, project, file])
}

/** An error of a hook or of the file, or a step or measured value that belongs to no test. */
function isOutsideOfTests(phase: Phase): boolean {
  return isFailed(phase) && phase.kind !== 'test' && phase.parent === undefined
}

function isFailed({ outcome }: Phase): boolean {
  return outcome !== 'PASS' && outcome !== 'SKIP'
}
