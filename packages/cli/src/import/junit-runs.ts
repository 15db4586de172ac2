import type { OutputEntry, Problem } from '@runledger/core'
import type { JUnitCase, JUnitFile, JUnitSuite } from './junit-file'
import type { Producer } from './junit-producers'
import { mapError, mapTestCase } from './junit-testcase'
import type { ReadContext } from './results'
import { relateFile, type SuiteDraft } from './suite-draft'
import { parseSeconds, parseTimestamp } from './times'

/** A suite on its way to a run. */
interface Draft extends SuiteDraft {
  problems: Problem[]
  output: OutputEntry[]
  variables: Record<string, string>
}

/**
 * The runs of a file: one for each test file that cases name, else one for each outermost suite, else one for the whole file.
 */
export function sortIntoRuns(file: JUnitFile, producer: Producer, context: ReadContext): SuiteDraft[] {
  const sorter = new RunSorter(file, producer, context)
  for (const each of file.cases) sorter.addCase(each)
  sorter.findUnexplained()
  for (const suite of file.suites) sorter.addSuite(suite)
  return sorter.finish()
}

class RunSorter {
  readonly #drafts = new Map<unknown, Draft>()
  /** The first run that has cases of a suite. */
  readonly #bySuite = new Map<JUnitSuite, Draft>()
  /** Suites in or below which a case has failed, or is said to have. */
  readonly #failing = new Set<JUnitSuite>()
  readonly #unexplained = new Map<JUnitSuite, Problem[]>()

  constructor(
    private readonly file: JUnitFile,
    private readonly producer: Producer,
    private readonly context: ReadContext,
  ) {}

  addCase(each: JUnitCase): void {
    const test = mapTestCase(each.element, this.#listTitles(each), this.context)
    const draft = this.#draftOf(each)
    draft.tests.push(test)
    for (const suite of listUpward(each.suite)) {
      if (!this.#bySuite.has(suite)) this.#bySuite.set(suite, draft)
      // Also a failure that fails nothing, such as that of a test marked as todo: some tools count it.
      if (test.outcome === 'failed' || test.attempts.some(({ status }) => status === 'failed'))
        this.#failing.add(suite)
    }
  }

  /** A suite's own output and properties go to the run of its first case. */
  addSuite(suite: JUnitSuite): void {
    const problems = [...suite.errors.map(mapProblem), ...(this.#unexplained.get(suite) ?? [])]
    const isEmpty = problems.length === 0 && suite.output.length === 0
    const draft = this.#bySuite.get(suite) ?? (isEmpty ? undefined : this.#draftOf({ suite }))
    if (draft === undefined) return
    draft.problems.push(...problems)
    draft.output.push(...suite.output)
    const { hostname, ...variables } = mapProperties(suite)
    Object.assign(draft.variables, variables, !this.producer.hostIsProject && hostname && { hostname })
  }

  finish(): SuiteDraft[] {
    const drafts = [...this.#drafts.values()]
    if (this.producer.name === 'node:test') this.#checkFailCount(drafts)
    return drafts
  }

  /** Finds suites that count failures but have no failed case, innermost first: those around count its failures too. */
  findUnexplained(): void {
    if (this.producer.name === 'go') this.#addUnbuiltPackages()
    for (const suite of this.file.suites) if (suite.errors.length > 0) this.#markFailing(suite)
    for (const suite of this.file.suites.toReversed()) {
      const counted = ['failures', 'errors'].map((name) => Number(suite.attributes[name] ?? 0))
      const count = counted.reduce((sum, each) => sum + (each > 0 ? each : 0), 0)
      if (count === 0 || this.#failing.has(suite)) continue
      this.#markFailing(suite)
      this.#unexplained.set(suite, [unexplained(count)])
    }
  }

  /** gotestsum counts what Go printed outside of tests in `<testsuites>` alone, and no package that has run is to blame. */
  #addUnbuiltPackages(): void {
    const { root, cases } = this.file
    const caseErrors = cases.filter(({ element }) =>
      element.children.some(({ name }) => name === 'error'),
    ).length
    const count = Number(root.attributes['errors'] ?? 0) - caseErrors
    if (!(count > 0)) return
    this.#markFailing(root)
    const message = `the file counts errors outside of tests (${count}), such as a package that could not be built, and does not say which`
    this.#draftOf({ suite: root }).problems.push({ name: 'Errors outside of tests', errors: [{ message }] })
  }

  #markFailing(suite: JUnitSuite): void {
    for (const each of listUpward(suite)) this.#failing.add(each)
  }

  /** node:test leaves out the error of a test that has subtests; the comments at the end count it. */
  #checkFailCount(drafts: SuiteDraft[]): void {
    const counted = this.file.comments.map((comment) => /^(?:fail|cancelled) (\d+)$/.exec(comment)?.[1])
    const count = counted.reduce((sum, digits) => sum + Number(digits ?? 0), 0)
    const hasFailed = drafts.some(
      ({ tests, problems = [] }) => problems.length > 0 || tests.some(({ outcome }) => outcome === 'failed'),
    )
    if (count === 0 || hasFailed) return
    const [first = this.#draftOf({ suite: this.file.root })] = drafts
    first.problems = [...(first.problems ?? []), unexplained(count)]
    if (drafts.length === 0) drafts.push(first)
  }

  #draftOf(place: { suite: JUnitSuite; element?: JUnitCase['element'] }): Draft {
    const path = this.#findFile(place)
    const { hostIsProject, suitesAreRuns, suitesAreTitles } = this.producer
    const top = findTop(place.suite)
    const own = suitesAreTitles ? undefined : top
    const key = path ?? own ?? ''
    const known = this.#drafts.get(key)
    if (known !== undefined) return known
    const timed = path === undefined ? own : top
    const draft = {
      project: hostIsProject
        ? top?.attributes['hostname']
        : suitesAreRuns
          ? top?.properties.find(([name]) => name === 'project')?.[1]
          : undefined,
      file: path ?? (own?.attributes['name'] || this.context.fileName),
      ...(timed && this.#readTimes(timed, path !== undefined)),
      tests: [],
      problems: [],
      output: [],
      variables: {},
    }
    this.#drafts.set(key, draft)
    return draft
  }

  /** The test file that a case, or the nearest suite around it, names. */
  #findFile({ suite, element }: { suite: JUnitSuite; element?: JUnitCase['element'] }): string | undefined {
    if (this.producer.suitesAreRuns) return undefined
    const ancestors = listUpward(suite).map(({ attributes }) => attributes)
    const named = [element?.attributes, ...ancestors].map((each) => each?.['file'] ?? each?.['filepath'])
    const file = named.find(Boolean)
    return file === undefined ? undefined : relateFile(file, this.context.projectRoot)
  }

  /** If a suite holds several files, its time is not that of one. */
  #readTimes({ attributes }: JUnitSuite, isOfFile: boolean): Pick<SuiteDraft, 'startedAtMs' | 'durationMs'> {
    const startedAtMs = parseTimestamp(attributes['timestamp'], this.context.isLocalTime)
    return { startedAtMs, durationMs: isOfFile ? undefined : parseSeconds(attributes['time']) }
  }

  #listTitles({ element, suite }: JUnitCase): string[] {
    const { name = '', classname = '' } = element.attributes
    const { separator, suitesAreTitles } = this.producer
    const ancestors = listUpward(suite)
      .filter((each) => !each.isRoot && (suitesAreTitles || each.parent?.isRoot === false))
      .map(({ attributes }) => attributes['name'] ?? '')
      .toReversed()
    // node:test names a file that could not be loaded by its path.
    const own = separator === undefined ? [relateFile(name, this.context.projectRoot)] : name.split(separator)
    const top = findTop(suite)?.attributes['name'] ?? ''
    const isRepeated =
      suitesAreTitles ||
      ['', name, top, ancestors.join('.'), ancestors.at(-1)].includes(classname) ||
      top.endsWith(`/${classname}`)
    return [...ancestors, ...(isRepeated ? [] : [classname]), ...own].filter((title) => title !== '')
  }
}

/** A suite and those around it, outermost last. */
function listUpward(suite: JUnitSuite): JUnitSuite[] {
  const all: JUnitSuite[] = []
  for (let each: JUnitSuite | undefined = suite; each; each = each.parent) all.push(each)
  return all
}

/** The outermost `<testsuite>`; undefined for what stands in `<testsuites>` itself. */
function findTop(suite: JUnitSuite): JUnitSuite | undefined {
  return listUpward(suite).findLast(({ isRoot }) => !isRoot)
}

function unexplained(count: number): Problem {
  const message = `the file counts ${count} failed, and names no test that failed`
  return { name: 'Failures without a test', errors: [{ message }] }
}

function mapProblem(element: JUnitSuite['errors'][number]): Problem {
  return { name: 'Suite', errors: [mapError(element)] }
}

/** Java writes dozens of facts about its machine into every file; these are worth keeping. */
const JAVA =
  /^(?:java|sun|jdk|user|file|path|line|native|surefire|maven|awt|os|basedir|localRepository)(?:\.|$)/
const WORTH_KEEPING = new Set(['java.version', 'java.vendor', 'os.name', 'os.version', 'os.arch'])

function mapProperties({ attributes: { hostname }, properties }: JUnitSuite): Record<string, string> {
  const kept = properties.filter(
    ([name, value]) => value !== '' && (!JAVA.test(name) || WORTH_KEEPING.has(name)),
  )
  return { ...Object.fromEntries(kept), ...(hostname && { hostname }) }
}
