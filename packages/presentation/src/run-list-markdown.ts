import {
  type BuildSummary,
  countFailures,
  formatOutsideLimits,
  formatTestCounts,
  readTestCounts,
  type RunListItem,
  sumOutsideLimits,
  type VerdictList,
} from '@runledger/protocol'
import { formatBuild } from './build'
import { formatDuration, formatMicroseconds } from './duration'
import { firstLine } from './error-text'
import { nameRun, sumUpGroup, type GroupSum } from './group'
import { listRunFacts } from './markdown'
import { BoundedMarkdown, code, codeBlock, codeLink, escapeAddress, joinFacts } from './markdown-text'
import { formatCount } from './number'
import { describeOutcome, formatOutcome } from './outcome'
import { isOfSoftware, nameCommit } from './software'
import { formatLocation } from './source-link'
import { VERDICT_LOOKS } from './verdict'
import { formatVerdictCounts } from './verdict-markdown'

const MAX_LINES = 50

export interface RunListText {
  runs: RunListItem[]
  nextAddress: string | undefined
  /** The filters as a user types them. */
  filter: readonly string[]
  group: GroupText | undefined
  linkRun: (run: RunListItem) => string
}

export interface GroupText {
  name: string
  address: string
  runs: RunListItem[]
  /** The group has more runs than these. */
  isCut: boolean
  /** Undefined if nothing is on record. */
  build: BuildSummary | undefined
  /** Undefined if none failed. */
  verdicts: VerdictList | undefined
}

/** A group begins with its results. */
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
  const { git_branch: branch } = run.metadata ?? {}
  const commit = nameCommit(run)
  const facts = joinFacts([
    formatDuration(run.duration),
    `started ${run.started_at}`,
    isOfSoftware(run) ? undefined : code(run.unit.serial_number),
    branch === undefined ? undefined : `branch ${code(String(branch))}`,
    commit && `commit ${code(commit)}`,
    run.first_error === undefined ? undefined : code(firstLine(run.first_error)),
  ])
  return `- ${formatOutcome(run)}: ${codeLink(nameRun(run), linkRun(run))} · ${facts}`
}

function addGroup(page: BoundedMarkdown, group: GroupText, linkRun: RunListText['linkRun']): void {
  page.add(`# Build ${codeLink(group.name, group.address)}`)
  if (group.build) page.add(`**Build ${formatBuild(group.build)}**`)
  if (group.runs.length === 0) return void page.add('This build has no runs.')
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
    ...formatVerdictCounts(verdicts),
    `First start to last end ${formatMicroseconds(sum.spanUs)}, started ${sum.startedAt}`,
    shards.length > 0 ? `Shards: ${shards.join('; ')}` : '',
    joinFacts(listRunFacts({ metadata: runs[0]?.metadata ?? {} })),
  ].filter((fact) => fact !== '')
}

function describeOutsideOf(runs: readonly RunListItem[]): string {
  const count = sumOutsideLimits(runs)
  return count === 0 ? '' : `${formatOutsideLimits(count)}, in runs that passed`
}

/** A failed run with its failed tests or, if they are unknown, its first error. */
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
