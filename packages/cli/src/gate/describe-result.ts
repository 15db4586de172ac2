import { toPlainLine } from '@runledger/core/tools'
import { type ComparedTest, describeBuild, formatWholeNumber, nameVerdict } from '@runledger/protocol'
import { formatCount, formatMicroseconds } from '@runledger/presentation'
import { cutText } from '../table'
import type { Doubt, Result } from './judge'
import type { Failure, FailureKind } from './read-failures'

/** More of one kind are counted. */
const MAX_SHOWN = 10
const MAX_ERROR = 300

const KINDS: readonly (readonly [FailureKind, string])[] = [
  ['new', 'New'],
  ['no_basis', 'No basis'],
  ['not_compared', 'Not compared'],
  ['known', 'Known'],
]

/** The verdict first, then what it rests on. */
export function describeResult(result: Result): string {
  const { passed, build, failures, more_failures: more, replaced_runs: replaced } = result
  const counts = KINDS.map(([kind, word]) => {
    const count = failures.filter((failure) => failure.kind === kind).length
    return { word, count: kind === 'not_compared' ? count + more : count }
  }).filter(({ count }) => count > 0)
  const total = formatCount(failures.length + more, 'failure')
  const sorted = counts.map(({ word, count }) => `${formatWholeNumber(count)} ${word.toLowerCase()}`)
  const told = [
    build ? `build ${toPlainLine(describeBuild(build))}` : '',
    sorted.length > 0 ? `${total} (${sorted.join(', ')})` : '',
    result.slower_total > 0 ? formatCount(result.slower_total, 'slower test') : '',
  ].filter((part) => part !== '')
  return [
    `Gate ${passed ? 'passed' : 'failed'}${told.length > 0 ? `: ${told.join('; ')}` : ''}`,
    ...(build ? [toPlainLine(build.url)] : []),
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
    ...(result.advice === null ? [] : [result.advice]),
    ...result.unknown.map(describeDoubt),
  ].join('\n')
}

function describeKind(word: string, failures: readonly Failure[]): string[] {
  const left = failures.length - MAX_SHOWN
  return [
    ...failures.slice(0, MAX_SHOWN).flatMap(({ kind, name, file, verdict, error, url }) => {
      const isClear = verdict === null || kind === 'new'
      const place = [...(name === file ? [] : [file]), ...(isClear ? [] : [nameVerdict(verdict)])]
      const facts = place.length > 0 ? ` (${place.join(', ')})` : ''
      const reason = error === null ? '' : `: ${cutText(toPlainLine(error), MAX_ERROR)}`
      return [`${word}: ${toPlainLine(`${name}${facts}`)}${reason}`, `  ${toPlainLine(url)}`]
    }),
    ...(left > 0 ? [`${word}: ${left} more`] : []),
  ]
}

function describeSlower({ slower, slower_total: total }: Result): string[] {
  const shown = slower.slice(0, MAX_SHOWN)
  const left = total - shown.length
  return [
    ...shown.map(({ test, base, head }) => {
      const place = test.file === null ? '' : ` (${test.file})`
      return `Slower: ${toPlainLine(`${test.name}${place}`)}: ${formatMs(head)}, before ${formatMs(base)}`
    }),
    ...(left > 0 ? [`Slower: ${left} more`] : []),
  ]
}

function formatMs(result: ComparedTest['base']): string {
  return formatMicroseconds(Math.round((result?.duration_ms ?? 0) * 1000))
}

function describeDoubt({ name, message, allowed }: Doubt & { allowed: boolean }): string {
  const text = toPlainLine(message)
  return allowed ? `Allowed (${name}): ${text}` : `Not known: ${text}. To let it pass: --allow ${name}`
}
