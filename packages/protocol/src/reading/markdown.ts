import type { Phase, RunDetail } from '../resources/run'
import type { TestError } from '../resources/test-facts'
import { formatDuration } from './duration'
import { describeOutcome } from './outcome'
import { findDiff, parseStack, shortenMessage, type DiffLine } from './error-text'
import { formatLocation, type SourceLink } from './source-link'
import { listErrors } from './step-tree'

const SIGNS: Record<DiffLine['kind'], string> = { expected: '-', actual: '+', same: ' ', place: '' }
const MAX_STACK_LINES = 12

interface MarkdownContext {
  run: RunDetail
  /** The address of the run's page. */
  address: string
  linkSource: SourceLink
}

/** Everything that tells why a step failed, as Markdown for an issue or an assistant. */
export function formatFailure(phase: Phase, { run, address, linkSource }: MarkdownContext): string {
  const place = phase.location ?? listErrors(phase)[0]?.location
  const source = place && linkSource(place)
  const { git_branch: branch, git_commit: commit, framework, framework_version: version } = run.metadata
  const facts = [
    place && (source ? `[${formatLocation(place)}](${source})` : `\`${formatLocation(place)}\``),
    formatDuration(phase.duration),
    phase.retry_count > 0 ? `${phase.retry_count + 1} attempts` : undefined,
    framework === undefined ? undefined : [framework, version].filter(Boolean).join(' '),
    branch === undefined ? undefined : `branch \`${branch}\``,
    commit === undefined ? undefined : `commit \`${String(commit).slice(0, 12)}\``,
    `[run](${address})`,
  ]
  const head = `### ${describeOutcome(phase.outcome).word}: ${phase.name}`
  const errors = listErrors(phase).map((error) => formatErrorMarkdown(error))
  return `${[head, facts.filter(Boolean).join(' · '), ...errors].join('\n\n')}\n`
}

/** The failures of a run below each other, under what the run was. */
export function formatFailures(phases: Phase[], context: MarkdownContext): string {
  const { run, address } = context
  const title = String(run.metadata['file'] ?? run.procedure.name)
  const head = `## ${describeOutcome(run.outcome).word}: [${title}](${address})`
  return [head, ...phases.map((phase) => formatFailure(phase, context))].join('\n\n')
}

function formatErrorMarkdown(error: TestError): string {
  const diff = findDiff(error).map(({ kind, text }) => `${SIGNS[kind]} ${text}`.trimEnd())
  const stack = parseStack(error).map(({ text }) => text)
  const parts = [
    fence('', shortenMessage(error)),
    ...(diff.length > 0 ? [fence('diff', diff.join('\n'))] : []),
    ...(error.snippet === undefined ? [] : [fence('', error.snippet)]),
    ...(stack.length > 0 ? [fence('', stack.slice(0, MAX_STACK_LINES).join('\n'))] : []),
  ]
  return parts.join('\n\n')
}

/** An error as plain text: its message and its stack. */
export function formatErrorText(error: TestError): string {
  const frames = parseStack(error).map(({ text }) => `    ${text}`)
  return [error.message.trim(), ...frames].join('\n')
}

// A fence is longer than any in the text.
function fence(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${language}\n${text}\n${ticks}`
}
