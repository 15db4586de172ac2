import type { Pace } from '../list-schema'
import { formatOutsideLimits, sumOutsideLimits } from '../outside-limits'
import type { BuildSummary } from '../resources/build'
import type { Phase, RunDetail, RunListItem } from '../resources/run'
import type { Location } from '../resources/test-facts'
import type { VerdictList } from '../resources/verdict'
import { countFailures, formatTestCounts, readTestCounts, type TestCounts } from '../test-counts'
import { countVerdicts, explainUnknownBranch, isCompared } from '../verdict-text'
import { formatDuration, formatMicroseconds } from './duration'
import { firstLine } from './error-text'
import { nameRun, sumUpGroup, type GroupSum } from './group'
import {
  formatAttachment,
  formatFailureOf,
  formatRunTitle,
  listRunFacts,
  type FailureContext,
} from './markdown'
import { BoundedMarkdown, code, codeBlock, codeLink, escapeAddress, joinFacts } from './markdown-text'
import { formatCount } from './number'
import { describeOutcome, tellOutcome } from './outcome'
import { formatLocation } from './source-link'
import { listErrors } from './step-tree'
import { findVerdict, VERDICT_LOOKS } from './verdict'

const MAX_TOLD_FAILURES = 30
const MAX_LINES = 50
const MAX_VARIABLES = 60

/** A run to write as Markdown: of its steps those that failed or were flaky, and where these lie, are enough. */
export interface RunText extends FailureContext {
  counts: TestCounts
  /** Attachments of the run as a whole, and how many there are besides of steps that are not told of. */
  others: RunDetail['attachments']
  otherFiles: number
  /** The end of the suite's log. */
  log: { name: string; text: string } | undefined
  /** The state of its build; undefined without a group. */
  build: BuildSummary | undefined
  /** Where all of the run can be read. */
  recordAddress: string
}

/** A run as Markdown, of bounded length: why it failed first. */
export async function formatRun(text: RunText, pace: Pace): Promise<string> {
  const { tree, counts } = text
  const told: string[] = []
  for (const index of tree.failures.slice(0, MAX_TOLD_FAILURES)) {
    // To find what differs between two texts may take some milliseconds.
    if (pace.isOver) await pace.rest()
    told.push(formatFailureOf(index, text))
  }
  const page = new BoundedMarkdown()
  page.add(`# ${formatRunTitle(text)}`)
  page.add(
    listFacts(text)
      .map((fact) => `- ${fact}`)
      .join('\n'),
  )
  const [first, ...others] = told
  const hasRoom = first === undefined || page.add(`## Why it failed\n\n${first}`)
  page.addEach(others, {
    heading: '## Other failures',
    format: (failure) => failure,
    total: others.length + (hasRoom ? 0 : 1),
    what: (count) => `the details of ${formatCount(count, 'failure')}`,
  })
  page.addEach(tree.failures.slice(MAX_TOLD_FAILURES), {
    heading: '## More failures',
    format: (index) => formatStepLine(index, text),
    // Not only tests fail: a measurement of a test that passed does, too.
    total: Math.max(tree.failures.length, countFailures(counts), MAX_TOLD_FAILURES) - MAX_TOLD_FAILURES,
    what: (count) => formatCount(count, 'failure'),
  })
  addRest(page, text)
  return page.end(text.recordAddress)
}

function addRest(page: BoundedMarkdown, text: RunText): void {
  const { run, tree, counts, others, log } = text
  page.addEach(
    tree.nodes.filter(({ className }) => className === 'flaky').map(({ index }) => index),
    {
      heading: '## Flaky: passed at a later attempt',
      most: MAX_LINES,
      format: (index) => formatStepLine(index, text),
      total: counts.flaky,
      what: (count) => formatCount(count, 'flaky test'),
    },
  )
  page.addEach(run.skipped ?? [], {
    heading: '## Skipped',
    most: MAX_LINES,
    format: ({ name, reason, location }) =>
      `- ${joinFacts([code(name), reason === undefined ? undefined : code(reason), formatPlace(location, text)])}`,
    total: counts.skipped,
    what: (count) => formatCount(count, 'skipped test'),
  })
  if (log && log.text.trim() !== '') page.add(`## End of ${code(log.name)}\n\n${codeBlock(log.text)}`)
  page.addEach(others, {
    heading: '## Attachments of the run',
    most: MAX_LINES,
    total: others.length + text.otherFiles,
    format: (attachment) => formatAttachment({ attachment, fileName: attachment.name }, text.linkAttachment),
    what: (count) => formatCount(count, 'attachment'),
  })
  page.addEach(Object.entries(run.metadata), {
    heading: '## Report variables',
    most: MAX_VARIABLES,
    format: ([name, value]) => `- ${code(name)}: ${code(String(value))}`,
    what: (count) => formatCount(count, 'report variable'),
  })
}

function listFacts({ run, counts, address, build, verdicts }: RunText): string[] {
  const { unit, metadata } = run
  const group = metadata['group']
  return [
    `Tests: ${formatTestCounts(counts)}`,
    ...formatCounted(verdicts),
    `Took ${formatDuration(run.duration)}, started ${run.started_at}`,
    joinFacts(listRunFacts(run)),
    `Procedure ${code(run.procedure.name)}`,
    `Unit ${code(unit.serial_number)}, part ${code(unit.part.number)}, revision ${code(unit.part.revision.number)}`,
    group === undefined ? '' : `Group ${codeLink(String(group), groupAddress(address, String(group)))}`,
    build ? formatBuild(build) : '',
    run.docstring === null ? '' : code(run.docstring),
  ].filter((fact) => fact !== '')
}

/** How many failures are new, and why they could not be compared with the default branch. */
function formatCounted(verdicts: VerdictList | undefined): string[] {
  if (!verdicts) return []
  return [isCompared(verdicts) ? countVerdicts(verdicts) : '', explainUnknownBranch(verdicts) ?? '']
}

function formatBuild({ state, missing }: BuildSummary): string {
  return missing.length === 0 ? `Build ${state}` : `Build ${state}: ${missing.map(code).join('; ')}`
}

// The list of runs is one level above a run's page.
function groupAddress(runAddress: string, group: string): string {
  return `${runAddress.slice(0, runAddress.lastIndexOf('/'))}.md?group=${encodeURIComponent(group)}`
}

function formatPlace(location: Location | undefined, { linkSource }: FailureContext): string | undefined {
  return location && codeLink(formatLocation(location), linkSource(location))
}

/** A step with the first line of why it failed, or failed at first. */
function formatStepLine(index: number, text: RunText): string {
  const phase = text.tree.nodes[index]?.phase
  if (!phase) return ''
  const error = listErrors(phase)[0] ?? findEarlierError(phase)
  const verdict = findVerdict(text.tree, index, text.verdicts)
  return `- ${joinFacts([
    codeLink(phase.name, text.linkStep(index)),
    formatPlace(phase.location, text),
    phase.retry_count > 0 ? `${phase.retry_count + 1} attempts` : undefined,
    verdict && VERDICT_LOOKS[verdict.verdict].word,
    error && code(firstLine(error.message)),
  ])}`
}

function findEarlierError({ attempts = [] }: Phase) {
  return attempts.find(({ errors }) => errors?.length)?.errors?.[0]
}

/** Runs to write as Markdown. */
export interface RunListText {
  /** The runs to list, newest first. */
  runs: RunListItem[]
  /** Where there are more. */
  nextAddress: string | undefined
  /** What is listed, as it is searched for. */
  filter: readonly string[]
  group: GroupText | undefined
  linkRun: (run: RunListItem) => string
}

/** All runs of a group, whatever is listed of them. */
export interface GroupText {
  name: string
  /** The address of its page. */
  address: string
  runs: RunListItem[]
  /** Whether it has more runs than these. */
  isCut: boolean
  /** Its state as a build; undefined when nothing is on record. */
  build: BuildSummary | undefined
  /** Which of its failures are new; undefined where none failed. */
  verdicts: VerdictList | undefined
}

/** A list of runs as Markdown, of bounded length; of a group what it came to first. */
export function formatRunList(text: RunListText): string {
  const { runs, filter, group, linkRun, nextAddress } = text
  const page = new BoundedMarkdown()
  if (group) addGroup(page, group, linkRun)
  else page.add(`# Runs${filter.length === 0 ? '' : `: ${filter.map(code).join(', ')}`}`)
  if (runs.length === 0) page.add('There are no such runs.')
  page.addEach(runs, {
    heading: group ? `## Runs${filter.length === 0 ? '' : `: ${filter.map(code).join(', ')}`}` : '',
    format: (run) => formatRunLine(run, linkRun),
    what: (count) => formatCount(count, 'run'),
  })
  if (nextAddress !== undefined) page.add(`More runs: ${nextAddress}`)
  return page.end('ask for fewer runs with `limit`, then go on with `cursor`')
}

function formatRunLine(run: RunListItem, linkRun: RunListText['linkRun']): string {
  const { unit, metadata = {} } = run
  const { git_branch: branch } = metadata
  const facts = joinFacts([
    formatDuration(run.duration),
    `started ${run.started_at}`,
    code(unit.serial_number),
    branch === undefined ? undefined : `branch ${code(String(branch))}`,
    run.first_error === undefined ? undefined : code(firstLine(run.first_error)),
  ])
  return `- ${tellOutcome(run)}: ${codeLink(nameRun(run), linkRun(run))} · ${facts}`
}

function addGroup(page: BoundedMarkdown, group: GroupText, linkRun: RunListText['linkRun']): void {
  page.add(`# Group ${codeLink(group.name, group.address)}`)
  if (group.build) page.add(`**${formatBuild(group.build)}**`)
  if (group.runs.length === 0) return void page.add('No run is of this group.')
  const sum = sumUpGroup(group.runs)
  page.add(
    listGroupFacts(sum, group)
      .map((fact) => `- ${fact}`)
      .join('\n'),
  )
  page.addEach(sum.failed, {
    heading: '## What failed',
    format: (run) => formatFailedRun(run, linkRun(run), group.verdicts),
    what: (count) => `what failed in ${formatCount(count, 'run')}`,
  })
  page.addEach(sum.flaky, {
    heading: '## Flaky',
    most: MAX_LINES,
    format: (run) =>
      `- ${codeLink(nameRun(run), linkRun(run))}: ${formatCount(readTestCounts(run.metadata)?.flaky ?? 0, 'test')}`,
    what: (count) => formatCount(count, 'run with flaky tests', 'runs with flaky tests'),
  })
  page.addEach(sum.slowest, {
    heading: '## Slowest',
    format: (run) => `- ${codeLink(nameRun(run), linkRun(run))}: ${formatDuration(run.duration)}`,
    what: (count) => formatCount(count, 'slow run'),
  })
}

function listGroupFacts(sum: GroupSum, { runs, isCut, verdicts }: GroupText): string[] {
  const outcomes = sum.outcomes.map(
    ({ outcome, count }) => `${count} ${describeOutcome(outcome).word.toLowerCase()}`,
  )
  const shards = sum.shards.map(
    ({ name, failed: bad, spanUs }) =>
      `${code(name)} ${formatMicroseconds(spanUs)}${bad > 0 ? `, ${bad} failed` : ''}`,
  )
  return [
    `${isCut ? 'More than ' : ''}${formatCount(sum.runs, 'run')}: ${outcomes.join(', ')}`,
    describeOutsideOf(runs),
    sum.tests ? `Tests: ${formatTestCounts(sum.tests)}` : '',
    ...formatCounted(verdicts),
    `First start to last end ${formatMicroseconds(sum.spanUs)}, started ${sum.startedAt}`,
    shards.length > 0 ? `Shards: ${shards.join('; ')}` : '',
    joinFacts(listRunFacts({ metadata: runs[0]?.metadata ?? {} })),
  ].filter((fact) => fact !== '')
}

function describeOutsideOf(runs: readonly RunListItem[]): string {
  const count = sumOutsideLimits(runs)
  return count === 0 ? '' : `${formatOutsideLimits(count)}, in runs that passed`
}

/** A failed run of a group with its failed tests, or, where they are not known, with its first error. */
function formatFailedRun(run: RunListItem, address: string, verdicts: VerdictList | undefined): string {
  const { failures = [], first_error: firstError } = run
  const counts = readTestCounts(run.metadata)
  const count = Math.max(counts ? countFailures(counts) : 0, failures.length)
  const heading = `### ${describeOutcome(run.outcome).word}: ${codeLink(nameRun(run), address)}`
  const ofRun = verdicts?.data.filter(({ run_id: id }) => id === run.id) ?? []
  const known = new Map(ofRun.map(({ name, verdict }) => [name, VERDICT_LOOKS[verdict].word]))
  const blocks = failures.map(({ step, name, location, message }) =>
    [
      `- ${joinFacts([
        codeLink(name, `${address}#step-${step}`),
        location && code(formatLocation(location)),
        known.get(name),
      ])}`,
      ...(message === undefined ? [] : [indent(codeBlock(message.trim()))]),
    ].join('\n'),
  )
  if (blocks.length === 0 && firstError !== undefined) blocks.push(codeBlock(firstError.trim()))
  const left = count - failures.length
  if (failures.length > 0 && left > 0)
    blocks.push(`- ${formatCount(left, 'more failure')}: ${escapeAddress(address)}.md`)
  return [heading, ...blocks].join('\n\n')
}

function indent(block: string): string {
  return block.replaceAll(/^/gm, '  ')
}
