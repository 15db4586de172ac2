import { type Build, type ComparedTest, formatWholeNumber, nameVerdict } from '@runledger/protocol'
import { formatCount, formatMicroseconds } from '@runledger/presentation'
import { formatJson } from '../output'
import { toSafeLine } from '../plain-text'
import { cutText } from '../table'
import type { Doubt } from './doubt'
import { countOf, type Result } from './judge'
import type { Failure, FailureKind } from './read-failures'

/** Most failures of each kind that are listed; the rest are counted. */
const MAX_SHOWN = 10
const MAX_TEXT = 300

const KINDS: readonly (readonly [FailureKind, string])[] = [
  ['new', 'New'],
  ['flaky', 'Flaky'],
  ['no_basis', 'No basis'],
  ['not_compared', 'Not compared'],
  ['known', 'Known'],
]

/** Prints the verdict first, then the facts behind it. */
export function describeResult(result: Result): string {
  const { build, failures, replaced_runs: replaced } = result
  return [
    describeVerdict(result),
    ...(build ? [describeState(build), `  ${toLine(build.url)}`] : []),
    ...describeCounts(result),
    ...KINDS.flatMap(([kind, word]) =>
      describeKind(
        word,
        failures.filter((one) => one.kind === kind),
      ),
    ),
    ...describeSlower(result),
    ...(replaced > 0
      ? [`Not counted: ${formatCount(replaced, 'failed run')} of jobs that were run again`]
      : []),
    ...(result.advice === null ? [] : [toLine(result.advice)]),
    ...result.unknown.map(describeDoubt),
  ].join('\n')
}

export function formatResult(result: Result): string {
  return formatJson(result).replaceAll(COMMAND, String.raw`#\u0023`)
}

/** Azure and GitHub read the text after it as a command, at any place in a line. */
const COMMAND = '##'

/** Makes a text safe to print in one line, and cuts it if it is very long. */
export function toLine(text: string): string {
  return cutText(toSafeLine(text), MAX_LINE)
}

const MAX_LINE = 2_000

function describeVerdict({ passed, reasons, unknown }: Result): string {
  const names = new Set(unknown.filter(({ allowed }) => !allowed).map(({ name }) => name))
  const causes = [...reasons, ...(names.size > 0 ? [`not known: ${[...names].join(', ')}`] : [])]
  return passed ? 'Gate passed' : `Gate failed: ${causes.join('; ')}`
}

const STATES: Partial<Record<string, string>> = {
  passed: 'The build passed',
  failed: 'The build failed',
  running: 'The build still runs',
}

function describeState({ state, missing }: Build): string {
  const text = STATES[state] ?? `The build is ${state}`
  return toLine([text, ...(missing.length > 0 ? [missing.join('; ')] : [])].join(': '))
}

function describeCounts(result: Result): string[] {
  const total = result.failures.length + result.more_failures
  const parts = KINDS.flatMap(([kind, word]) => {
    const count = countOf(result, kind)
    return count > 0 ? [`${formatWholeNumber(count)} ${word.toLowerCase()}`] : []
  })
  return total > 0 ? [`${formatCount(total, 'failure')}: ${parts.join(', ')}`] : []
}

function describeKind(word: string, failures: readonly Failure[]): string[] {
  const left = failures.length - MAX_SHOWN
  return [
    ...failures.slice(0, MAX_SHOWN).flatMap((failure) => {
      const { name, error, url } = failure
      const facts = listFacts(failure)
      const place = facts.length > 0 ? ` (${toLine(facts.join(', '))})` : ''
      const reason = error === null ? '' : `: ${cutText(toLine(error), MAX_TEXT)}`
      return [`${word}: ${cutText(toLine(name), MAX_TEXT)}${place}${reason}`, `  ${toLine(url)}`]
    }),
    ...(left > 0 ? [`${word}: ${formatWholeNumber(left)} more`] : []),
  ]
}

function listFacts({ kind, name, file, verdict, outcome }: Failure): string[] {
  return [
    ...(name === file ? [] : [file]),
    ...(verdict === null || kind === 'new' ? [] : [nameVerdict(verdict)]),
    ...(verdict === null && outcome !== 'FAIL' ? [outcome.toLowerCase()] : []),
  ]
}

function describeSlower({ slower, slower_total: total, slower_note: note }: Result): string[] {
  const shown = slower.slice(0, MAX_SHOWN)
  const left = total - shown.length
  return [
    ...shown.map(({ test, base, head }) => {
      const place = test.file === null ? '' : ` (${test.file})`
      return `Slower: ${toLine(`${test.name}${place}`)}: ${formatMs(head)}, before ${formatMs(base)}`
    }),
    ...(left > 0 ? [`Slower: ${formatWholeNumber(left)} more`] : []),
    ...(note === null ? [] : [toLine(note)]),
  ]
}

function formatMs(result: ComparedTest['base']): string {
  return formatMicroseconds(Math.round((result?.duration_ms ?? 0) * 1000))
}

function describeDoubt({ name, message, allowed }: Doubt & { allowed: boolean }): string {
  const text = toLine(message)
  return allowed
    ? `Allowed by --allow ${name}: ${text}`
    : `Not known: ${text}. To let it pass: --allow ${name}`
}
