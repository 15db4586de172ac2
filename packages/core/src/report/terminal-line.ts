import {
  type BuildSummary,
  countVerdicts,
  describeBuild,
  explainUnknownBranch,
  formatOutsideLimits,
  hasFailedBefore,
  isCompared,
  type VerdictList,
} from '@runledger/protocol'
import { createSupportsHyperlinks } from 'supports-hyperlinks'
import { readProcessEnvironment } from '../config/resolve-options'
import { type RunResult, selectDelivered } from '../delivery/deliver-run'
import type { ExecutionResults } from '../delivery/finish-execution'
import { describeError } from '../model/errors'
import { type DroppedRuns, SPOOL_BOUNDS } from '../spool/retention'
import { formatLine } from '../util/print-warning'
import { toPlainLine } from '../util/text'

type Told = Pick<ExecutionResults, 'runs' | 'verdicts' | 'build'>

export function formatDeliveryLine({ runs: results, verdicts, build }: Told): string {
  const delivered = selectDelivered(results)
  const undelivered = results.filter((result) => result.status === 'failed')
  const told = formatVerdicts(verdicts)
  const counted = countRuns(results, delivered.length) + (told === '' ? '' : ` (${told})`)
  const parts = [
    ...(delivered.length > 0 ? [`${counted}: ${findLink({ runs: results, build }) ?? ''}`] : []),
    ...(undelivered[0]
      ? [`${undelivered.length} of ${results.length} runs not sent: ${describeError(undelivered[0].error)}`]
      : []),
    ...formatProblems(delivered.flatMap(({ problems }) => problems)),
  ]
  return joinClauses(parts)
}

/** `3 failures: 2 new, 1 already failing`; empty if the service did not say, or has nothing to compare with. */
export function formatVerdicts(verdicts: VerdictList | undefined): string {
  return verdicts !== undefined && isCompared(verdicts) ? countVerdicts(verdicts) : ''
}

/** Shown if failures could not be compared with the default branch; says what helps. */
export function formatUnknownBranch(verdicts: VerdictList | undefined): string[] {
  const told = verdicts && explainUnknownBranch(verdicts)
  return told === undefined ? [] : [told]
}

/** Shown while the build is incomplete. */
export function formatBuildLine(build: BuildSummary | undefined): string {
  return build === undefined || build.missing.length === 0 ? '' : `build ${describeBuild(build)}`
}

const MAX_NAMED = 3

/** `2 flaky tests: cart › adds an item, cart › empties`. */
export function formatFlakyLine(requests: ExecutionResults['requests']): string[] {
  const steps = requests.flatMap((request) => request.steps ?? [])
  const flaky = steps.filter(
    ({ step_passed, attempts = [] }) =>
      step_passed && hasFailedBefore({ retry_count: attempts.length - 1, attempts }),
  )
  if (flaky.length === 0) return []
  const names = flaky.slice(0, MAX_NAMED).map(({ name }) => toPlainLine(name))
  const left = flaky.length - names.length
  const more = left > 0 ? ` and ${left} more` : ''
  const line = `${flaky.length} flaky test${flaky.length === 1 ? '' : 's'}: ${names.join(', ')}${more}`
  if (line.length <= MAX_COLUMNS) return [line]
  return [
    ...names.map((name) => `flaky: ${cutMiddle(name, MAX_COLUMNS - 'flaky: '.length)}`),
    ...(left > 0 ? [`${left} more flaky test${left === 1 ? '' : 's'}`] : []),
  ]
}

/** Fits into 80 columns with our prefix. */
const MAX_COLUMNS = 80 - formatLine('').trimEnd().length - 1

/** Names differ most at their beginning and end. */
function cutMiddle(text: string, length: number): string {
  const head = Math.floor(length / 2)
  return text.length <= length ? text : `${text.slice(0, head)}…${text.slice(head + 1 - length)}`
}

/** Only the end keeps a full stop. */
export function joinClauses(clauses: readonly string[]): string {
  const told = clauses.filter((clause) => clause !== '')
  const last = told.length - 1
  return told.map((clause, index) => (index < last ? clause.replace(/\.$/, '') : clause)).join('; ')
}

/** The run's address; for several, their group's page if there is one, else the first failed run's. */
export function findLink({ runs, build }: Pick<Told, 'runs' | 'build'>): string | undefined {
  const delivered = selectDelivered(runs)
  const responses = delivered.map(({ response }) => response)
  if (responses.length === 1 && build === undefined) return responses[0]?.url
  const firstFailed = delivered.find(({ passed }) => !passed)?.response ?? responses[0]
  return responses.find(({ group_url }) => group_url !== undefined)?.group_url ?? firstFailed?.url
}

function countRuns(results: readonly RunResult[], count: number): string {
  const delivered = selectDelivered(results)
  const failed = delivered.filter(({ passed }) => !passed).length
  const outside = delivered.reduce((sum, { outsideLimits }) => sum + outsideLimits, 0)
  const told = outside === 0 ? '' : formatOutsideLimits(outside)
  const runs = `${count} run${count === 1 ? '' : 's'} on record`
  if (failed === 0) return `${runs}, passed${told && `, ${told}`}`
  if (failed === count) return `${runs}, failed`
  return `${runs}, ${count - failed} passed${told && ` with ${told}`}, ${failed} failed`
}

function formatProblems(problems: readonly string[]): string[] {
  const [first, ...others] = problems
  if (first === undefined) return []
  return [`not sent: ${first}${others.length > 0 ? `, and ${others.length} more` : ''}`]
}

export function formatWaiting({
  backlog,
  keptCount,
}: Pick<ExecutionResults, 'backlog' | 'keptCount'>): string {
  const sent = backlog.filter(({ status }) => status === 'sent').length
  const waits = backlog.filter(({ status }) => status === 'waits')
  const elsewhere = waits.filter(({ isElsewhere }) => isElsewhere === true).length
  const waiting = keptCount + waits.length - elsewhere
  const atLeast = backlog.some(({ isExecution, status }) => isExecution && status === 'waits')
    ? 'at least '
    : ''
  const runs = `${atLeast}${waiting} run${waiting === 1 ? ' waits' : 's wait'} in the spool`
  return joinClauses([
    sent > 0 ? `${sent} older run${sent === 1 ? '' : 's'} sent` : '',
    waiting > 0 ? `${runs}: npx runledger upload sends ${waiting === 1 ? 'it' : 'them'}` : '',
    describeElsewhere(elsewhere),
  ])
}

/** `upload` alone does not send these. */
function describeElsewhere(count: number): string {
  if (count === 0) return ''
  const [runs, them] = count === 1 ? ['1 older run waits', 'it'] : [`${count} older runs wait`, 'them']
  return `${runs} in the spool for another service: npx runledger upload says how to send or drop ${them}`
}

export function formatSpoolLines(
  { backlog, dropped }: Pick<ExecutionResults, 'backlog' | 'dropped'>,
  failure: unknown,
  spoolDir: string,
): string[] {
  const quarantined = backlog.filter(({ status }) => status === 'quarantined')
  return [
    ...(failure === undefined ? [] : [describeSpoolFailure(failure, spoolDir)]),
    ...quarantined.map(({ id, reason }) => `execution ${id} moved to quarantine in the spool: ${reason}`),
    ...dropped.map((each) => describeDropped(each)),
  ]
}

function describeSpoolFailure(failure: unknown, spoolDir: string): string {
  return (
    `the spool folder ${spoolDir} cannot be used (${describeError(failure)}): later runs were only in memory, ` +
    'and those that could not be sent are lost. Set spoolDir (RUNLEDGER_SPOOL_DIR) to a folder with room'
  )
}

const DROP_REASONS: Record<DroppedRuns['reason'], string> = {
  age: `it has waited for more than ${SPOOL_BOUNDS.maxAgeMs / (24 * 60 * 60 * 1000)} days`,
  size: `the spool holds more than ${SPOOL_BOUNDS.maxBytes / 1024 ** 3} GiB`,
}

export function describeDropped({ executionId, createdAtMs, runs, reason }: DroppedRuns): string {
  const what = runs === 'all' ? 'all runs' : `the ${runs} oldest run${runs === 1 ? '' : 's'}`
  const start = new Date(createdAtMs).toISOString()
  return `${what} of execution ${executionId} of ${start} dropped from the spool: ${DROP_REASONS[reason]}`
}

const LINK_BEGIN = '\u001B]8;;'
const LINK_END = '\u001B\\'

export function linkAddress(line: string, url: string | undefined): string {
  if (url === undefined || !/^https?:\/\/[\x21-\x7e]+$/.test(url)) return line
  return line.replace(url, () => `${LINK_BEGIN}${url}${LINK_END}${url}${LINK_BEGIN}${LINK_END}`)
}

export function knowsLinks(): boolean {
  const isAsked = process.stderr.isTTY || readProcessEnvironment()['FORCE_HYPERLINK'] !== undefined
  return isAsked && createSupportsHyperlinks(process.stderr)
}
