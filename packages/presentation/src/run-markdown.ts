import {
  type BuildSummary,
  countFailures,
  formatTestCounts,
  type Location,
  type Pace,
  type Phase,
  type RunDetail,
  type TestCounts,
} from '@runledger/protocol'
import { formatBuild } from './build'
import { formatDuration } from './duration'
import { firstLine } from './error-text'
import {
  formatAttachment,
  formatFailureOf,
  formatRunTitle,
  listRunFacts,
  type FailureContext,
} from './markdown'
import { BoundedMarkdown, code, codeBlock, codeLink, joinFacts } from './markdown-text'
import { formatCount } from './number'
import { isOfSoftware, namePackage } from './software'
import { formatLocation } from './source-link'
import { listErrors } from './step-tree'
import { findVerdict, VERDICT_LOOKS } from './verdict'
import { formatVerdictCounts } from './verdict-markdown'

const MAX_TOLD_FAILURES = 30
const MAX_LINES = 50
const MAX_VARIABLES = 60

/** Only failed and flaky steps, with the steps around them, are needed. */
export interface RunText extends FailureContext {
  counts: TestCounts
  /** Attachments of the whole run, and the number of those that are not shown. */
  others: RunDetail['attachments']
  otherFiles: number
  /** The end of the suite's log. */
  log: { name: string; text: string } | undefined
  /** Undefined without a group. */
  build: BuildSummary | undefined
  recordAddress: string
}

/** A run as Markdown of bounded length, failures first. */
export async function formatRun(text: RunText, pace: Pace): Promise<string> {
  const { tree, counts } = text
  const told: string[] = []
  for (const index of tree.failures.slice(0, MAX_TOLD_FAILURES)) {
    // Comparing two texts may take some milliseconds.
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
    // Not only tests fail: a measurement in a passed test does, too.
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
    ...formatVerdictCounts(verdicts),
    `Took ${formatDuration(run.duration)}, started ${run.started_at}`,
    joinFacts(listRunFacts(run)),
    group === undefined
      ? ''
      : `Build ${codeLink(String(group), groupAddress(address, String(group)))}${build ? `, ${formatBuild(build)}` : ''}`,
    `Procedure ${code(run.procedure.name)}`,
    isOfSoftware(run)
      ? `Package ${code(namePackage(run))}`
      : `Unit ${code(unit.serial_number)}, part ${code(unit.part.number)}, revision ${code(unit.part.revision.number)}`,
    run.docstring === null ? '' : code(run.docstring),
  ].filter((fact) => fact !== '')
}

// The list of runs is one level above a run's page.
function groupAddress(runAddress: string, group: string): string {
  return `${runAddress.slice(0, runAddress.lastIndexOf('/'))}.md?group=${encodeURIComponent(group)}`
}

function formatPlace(location: Location | undefined, { linkSource }: FailureContext): string | undefined {
  return location && codeLink(formatLocation(location), linkSource(location))
}

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
