import type {
  Measurement,
  Phase,
  RunAttachment,
  RunDetail,
  TestError,
  VerdictList,
} from '@runledger/protocol'
import { listAnnotations, listOtherTags } from './annotations'
import { formatBytes } from './bytes'
import { formatDuration } from './duration'
import { findDiff, firstLine, nameErrors, parseStack, shortenMessage, type DiffLine } from './error-text'
import { BoundedMarkdown, code, codeBlock, codeLink, escapeAddress, joinFacts } from './markdown-text'
import { nameRun } from './group'
import { formatExpectation, formatMeasurement } from './measurement-text'
import { formatCount } from './number'
import { describeOutcome, formatOutcome } from './outcome'
import { nameCommit } from './software'
import { formatLocation, type SourceLink } from './source-link'
import type { AttemptAttachments, PlacedAttachment } from './step-attachments'
import { findFailedPath, listErrors, listMeasured, type StepTree } from './step-tree'
import { findVerdict } from './verdict'
import { formatVerdict, type RunLink } from './verdict-markdown'
import { webLink } from './web-link'

const SIGNS: Record<DiffLine['kind'], string> = { expected: '-', actual: '+', same: ' ', place: '' }
const MAX_STACK_LINES = 12
const MAX_ERRORS_LENGTH = 8_000
const MAX_TAGS = 10
const MAX_ANNOTATIONS = 10
const MAX_MEASURED = 10
const MAX_ATTEMPTS = 10
const MAX_FILES = 20

export interface FailureContext {
  run: RunDetail
  tree: StepTree
  /** Attachments by the index of their step. */
  bySteps: ReadonlyMap<number, AttemptAttachments[]>
  linkSource: SourceLink
  address: string
  /** The address of a step, by its index. */
  linkStep: (index: number) => string
  /** Omitted for pasted text, because the address soon expires. */
  linkAttachment?: (attachment: RunAttachment) => string | undefined
  verdicts?: VerdictList | undefined
  linkRun?: RunLink
}

export function formatFailure(index: number, context: FailureContext): string {
  return `${formatFailureOf(index, context, listRunFacts(context.run))}\n`
}

export function formatFailures(indexes: readonly number[], context: FailureContext): string {
  const text = new BoundedMarkdown()
  text.add(`## ${formatRunTitle(context)}`)
  text.add(joinFacts(listRunFacts(context.run)))
  text.addEach(indexes, {
    heading: '',
    format: (index) => formatFailureOf(index, context),
    what: (count) => formatCount(count, 'failure'),
  })
  return text.end(context.address)
}

export function formatRunTitle({ run, address }: Pick<FailureContext, 'run' | 'address'>): string {
  return `${formatOutcome(run)}: ${codeLink(nameRun(run), address)}`
}

/** The code under test, and what ran it. */
export function listRunFacts(run: Pick<RunDetail, 'metadata'>): string[] {
  const { git_branch: branch, framework, framework_version: version } = run.metadata
  const commit = nameCommit(run)
  const tool = [framework, version].filter((part) => part !== undefined && part !== '').join(' ')
  return [
    ...(tool === '' ? [] : [code(tool)]),
    ...(branch === undefined ? [] : [`branch ${code(String(branch))}`]),
    ...(commit === undefined ? [] : [`commit ${code(commit)}`]),
  ]
}

/** One failure; with facts of the run unless they are above it. */
export function formatFailureOf(
  index: number,
  context: FailureContext,
  runFacts: readonly string[] = [],
): string {
  const { tree, linkSource } = context
  const node = tree.nodes[index]
  if (!node) return ''
  const { phase } = node
  const errors = listErrors(phase)
  const place = phase.location ?? errors[0]?.location
  const facts = joinFacts([
    place && codeLink(formatLocation(place), linkSource(place)),
    formatDuration(phase.duration),
    phase.retry_count > 0 ? `${phase.retry_count + 1} attempts` : undefined,
    phase.worker === undefined ? undefined : `worker ${phase.worker}`,
    ...listOtherTags(phase).slice(0, MAX_TAGS).map(code),
    phase.owner && `owner ${code(phase.owner)}`,
    ...runFacts,
    `[page](${escapeAddress(context.linkStep(index))})`,
  ])
  const path = findFailedPath(tree, index).map(({ name }) => name)
  const verdict = findVerdict(tree, index, context.verdicts)
  const blocks = [
    `### ${describeOutcome(phase.outcome).word}: ${code(phase.name)}`,
    facts,
    formatAnnotations(phase),
    verdict ? formatVerdict(verdict, context.linkRun) : '',
    path.length > 0 ? `Failed in step ${code(path.join(' › '))}` : '',
    listMeasured(tree, node).slice(0, MAX_MEASURED).map(formatMeasured).join('\n'),
    ...formatErrors(errors, phase.more_errors),
    formatEarlierAttempts(phase),
    formatFiles(index, context),
  ]
  return blocks.filter((block) => block !== '').join('\n\n')
}

/** In one line. */
function formatAnnotations(phase: Phase): string {
  const told = listAnnotations(phase)
  const left = told.length - MAX_ANNOTATIONS
  return joinFacts([
    ...told
      .slice(0, MAX_ANNOTATIONS)
      .map(({ type, description }) => `${code(type)}: ${codeLink(description, webLink(description))}`),
    left > 0 ? formatCount(left, 'more annotation') : undefined,
  ])
}

function formatMeasured([phase, measurement]: readonly [Phase, Measurement]): string {
  const name = phase.name.endsWith(measurement.name) ? phase.name : measurement.name
  const expectation = formatExpectation(measurement)
  const value = code(formatMeasurement(measurement))
  return `- ${code(name)}: ${joinFacts([value, expectation === '' ? undefined : code(expectation)])}`
}

/** Only the first errors, to keep a list of failures short. */
function formatErrors(errors: readonly TestError[], moreErrors = 0): string[] {
  const names = nameErrors([...errors], moreErrors)
  const blocks: string[] = []
  let length = 0
  for (const error of errors) {
    if (length > MAX_ERRORS_LENGTH) break
    const name = errors.length === 1 ? '' : `**${names[blocks.length]}**\n\n`
    blocks.push(name + formatError(error))
    length += blocks.at(-1)?.length ?? 0
  }
  const left = errors.length + moreErrors - blocks.length
  return left > 0 ? [...blocks, `${formatCount(left, 'more error')}.`] : blocks
}

function formatError(error: TestError): string {
  const diff = findDiff(error).map(({ kind, text }) => `${SIGNS[kind]} ${text}`.trimEnd())
  const stack = parseStack(error).map(({ text }) => text)
  const message = shortenMessage(error)
  const parts = [
    message === '' ? 'The error has no message.' : codeBlock(message),
    ...(diff.length > 0 ? [codeBlock(diff.join('\n'), 'diff')] : []),
    ...(error.snippet === undefined ? [] : [codeBlock(error.snippet)]),
    ...(stack.length > 0 ? [codeBlock(stack.slice(0, MAX_STACK_LINES).join('\n'))] : []),
  ]
  return parts.join('\n\n')
}

/** One line for each earlier attempt that failed. */
function formatEarlierAttempts({ attempts = [] }: Phase): string {
  return attempts
    .slice(0, -1)
    .slice(0, MAX_ATTEMPTS)
    .map(({ outcome, duration, errors: [error] = [] }, index) => {
      const what = `${describeOutcome(outcome).word.toLowerCase()} after ${formatDuration(duration)}`
      return `- Attempt ${index + 1}: ${what}${error ? `: ${code(firstLine(error.message))}` : ''}`
    })
    .join('\n')
}

function formatFiles(index: number, { bySteps, linkAttachment }: FailureContext): string {
  const attempts = bySteps.get(index) ?? []
  const placed = attempts.flatMap(({ attempt, attachments }) =>
    attachments.map((one) => formatAttachment(one, linkAttachment, attempt)),
  )
  const left = placed.length - MAX_FILES
  return [
    ...placed.slice(0, MAX_FILES),
    ...(left > 0 ? [`- ${formatCount(left, 'more attachment')}`] : []),
  ].join('\n')
}

export function formatAttachment(
  { attachment, fileName }: PlacedAttachment,
  link: FailureContext['linkAttachment'],
  attempt?: number,
): string {
  const { content_type: type, size } = attachment
  const facts = [
    attempt === undefined ? undefined : `attempt ${attempt}`,
    type === null ? undefined : code(type.split(';')[0] ?? ''),
    size === null ? undefined : formatBytes(size),
  ]
  return `- Attachment ${joinFacts([codeLink(fileName, link?.(attachment)), ...facts])}`
}

export function formatErrorText(error: TestError): string {
  const frames = parseStack(error).map(({ text }) => `    ${text}`)
  return [error.message.trim(), ...frames].join('\n')
}
