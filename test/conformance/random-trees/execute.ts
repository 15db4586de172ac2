import type { RunDetail } from '@runledger/protocol'
import type { Service } from '../../support/service'
import { withoutTold } from '../../support/told-steps'
import { checkClocks } from '../clocks'
import { observe } from '../observe'
import type { Target } from '../target'
import { ARGUMENTS, CONFIGS } from './config'
import { expectRecord, type ExpectedRecord, type JudgedFile } from './expectation'
import { judgeTree } from './oracle'
import { readLog } from './read-log'
import { formatOwnLine, readOwnReport, type OwnFile } from './own-report'
import { renderTree } from './render'
import { isUnordered, type Tree } from './tree'

const LONGEST_MS = 10 * 60_000

/** A tree in which the oracle, the framework and the record do not say the same. */
export interface Difference {
  tree: Tree
  source: string
  /**
   * `oracle`: the framework's own report says otherwise than our statement of its semantics; the mistake is ours, in the
   * oracle. `reporter`: the two agree, and the record says otherwise.
   */
  culprit: 'oracle' | 'reporter'
  expected: unknown
  found: unknown
}

export interface Soil {
  target: Target
  service: Service
}

interface Planned {
  tree: Tree
  file: string
  source: string
  judged: JudgedFile
}

/** Runs all trees as the files of one execution, and returns what differs. */
export async function executeTrees(trees: Tree[], { target, service }: Soil): Promise<Difference[]> {
  const { framework } = target
  const planned = trees.map((tree, index): Planned => ({
    tree,
    file: `t${index}.test.js`,
    source: renderTree(tree, target),
    judged: judgeTree(tree, target),
  }))
  const exitCode = planned.some(({ judged }) => judged.failsCommand) ? 1 : 0
  let own = new Map<string, OwnFile>()
  const observation = await observe(
    {
      files: {
        ...CONFIGS[framework],
        ...Object.fromEntries(planned.map(({ file, source }) => [file, source])),
      },
      args: ARGUMENTS[framework],
      timeoutMs: LONGEST_MS,
      exitCode,
      runs: [],
      check: async ({ project, result: { stdout, stderr } }) => {
        own = await readOwnReport(framework, project.dir).catch((error: unknown) => {
          throw new Error(`${framework} gave no report: ${String(error)}\n${stdout}${stderr}`, {
            cause: error,
          })
        })
      },
    },
    target,
    service,
  )
  const { result, runs } = observation
  const tellsTries = framework !== 'vitest' || target.release >= 5
  const recorded = await describeRuns(runs, service, tellsTries)
  const differences = planned.flatMap((plan) =>
    findDifference({
      ...plan,
      record: expectRecord(plan.judged, tellsTries),
      own: own.get(plan.file),
      recorded: recorded.get(plan.file) ?? [],
    }),
  )
  if (differences.length > 0) return differences
  checkExecution({ planned, runs, exitCode, found: result.exitCode })
  checkClocks(observation)
  return []
}

interface Compared extends Planned {
  record: ExpectedRecord | undefined
  own: OwnFile | undefined
  recorded: Recorded[]
}

interface Recorded extends ExpectedRecord {
  /** When each test began, in milliseconds, in the order of the steps. */
  starts: number[]
}

function findDifference({ tree, source, judged, record, own, recorded }: Compared): Difference[] {
  const difference = (culprit: Difference['culprit'], expected: unknown, found: unknown): Difference[] =>
    JSON.stringify(expected) === JSON.stringify(found) ? [] : [{ tree, source, culprit, expected, found }]
  const ofOracle = difference('oracle', expectOwn(judged, record, own), own)
  if (ofOracle.length > 0) return ofOracle
  const order = (each: ExpectedRecord) => sortSteps(each, isUnordered(tree.root))
  const found = recorded.map((each) => order(sortEqualStarts(each, record?.steps ?? [])))
  return difference('reporter', (record ? [record] : []).map(order), found)
}

/** Jest keeps milliseconds, so the order of tests that began in the same one is unknown: they take the expected order. */
function sortEqualStarts({ starts, ...record }: Recorded, expected: string[]): ExpectedRecord {
  const tests = starts.map((start, index) => ({ start, step: record.steps[index] ?? '' }))
  const sorted = tests.toSorted(
    (a, b) => a.start - b.start || expected.indexOf(a.step) - expected.indexOf(b.step),
  )
  const steps = record.isInOrder ? sorted.map(({ step }) => step) : record.steps.slice(0, starts.length)
  return { ...record, steps: [...steps, ...record.steps.slice(starts.length)] }
}

/** Errors that belong to no test come after the tests in an order that nobody asks for. */
function sortSteps(record: ExpectedRecord, sortsTests: boolean): ExpectedRecord {
  const { steps, counts } = record
  const tests = steps.slice(0, counts.passed + counts.failed)
  const problems = steps.slice(tests.length).toSorted()
  return { ...record, steps: [...(sortsTests ? tests.toSorted() : tests), ...problems] }
}

/** A file without tests and problems is not in Playwright's report. */
function expectOwn(
  judged: JudgedFile,
  record: ExpectedRecord | undefined,
  own: OwnFile | undefined,
): OwnFile | undefined {
  const isEmpty = judged.tests.length + judged.problems.length === 0
  if (isEmpty && own === undefined) return undefined
  const lines = judged.tests.map(({ titles, own: said }) => formatOwnLine(titles, said)).toSorted()
  return own?.hasFailed === undefined ? { lines } : { lines, hasFailed: record?.outcome === 'FAIL' }
}

/** What is on record, by file. */
async function describeRuns(
  runs: RunDetail[],
  service: Service,
  tellsTries: boolean,
): Promise<Map<string, Recorded[]>> {
  const records = new Map<string, Recorded[]>()
  for (const run of runs) {
    const file = String(run.metadata['file'])
    const hasLog = run.attachments.some(({ name }) => name === `${file}.log`)
    const log = hasLog ? readLog(String(await service.download(run, `${file}.log`)), tellsTries) : undefined
    records.set(file, [...(records.get(file) ?? []), describeRun(run, log)])
  }
  return records
}

function describeRun(run: RunDetail, log: string[] | undefined): Recorded {
  const count = (name: string) => Number(run.metadata[name])
  const phases = withoutTold(run.phases)
  const tests = phases.slice(0, count('tests_passed') + count('tests_failed'))
  const starts = tests.map(({ started_at: startedAt }) => Date.parse(startedAt))
  return {
    outcome: run.outcome as ExpectedRecord['outcome'],
    steps: phases.map(({ name, outcome }) => `${outcome} ${name}`),
    isInOrder: starts.every((start, index) => start >= (starts[index - 1] ?? 0)),
    counts: {
      passed: count('tests_passed'),
      failed: count('tests_failed'),
      skipped: count('tests_skipped'),
      flaky: count('tests_flaky'),
      retries: count('retries'),
    },
    log,
    starts,
  }
}

interface Verdicts {
  planned: Planned[]
  runs: RunDetail[]
  exitCode: number
  found: number | null
}

/**
 * The command ends as it must, failed exactly when a run failed, and no run is on record that no file asked for. But what
 * failed, then skipped itself on a retry, has failed on record although Playwright passes it (framework facts §6).
 */
function checkExecution({ planned, runs, exitCode, found }: Verdicts): void {
  if (found !== exitCode) throw new Error(`exit code ${String(found)}, expected ${exitCode}`)
  const harsh = planned.filter(({ judged }) => judged.failsOnRecordOnly).map(({ file }) => file)
  const failed = runs
    .filter(({ outcome }) => outcome !== 'PASS')
    .map(({ metadata }) => String(metadata['file']))
  const hasFailed = failed.some((file) => !harsh.includes(file))
  if (hasFailed !== (found !== 0)) throw new Error(`exit code ${found}, failed runs: ${failed.join(', ')}`)
  const files = new Set(planned.map(({ file }) => file))
  const foreign = runs.map(({ metadata }) => String(metadata['file'])).filter((file) => !files.has(file))
  if (foreign.length > 0) throw new Error(`runs of no file: ${foreign.join(', ')}`)
}
