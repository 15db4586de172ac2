import type { Attachment, Attempt, ErrorDetail, OutputEntry } from '@runledger/core'
import { readGoFailure, readGoOutput } from './go-output'
import type { ReadContext } from './results'
import { relateFile, restoreEscapes, type TestDraft } from './suite-draft'
import { parseSeconds, parseTimestamp } from './times'
import type { XmlElement } from '@runledger/readers'

/** Maps a `<testcase>`. Its titles are the caller's, who knows the suites around it. */
export function mapTestCase(element: XmlElement, titles: string[], context: ReadContext): TestDraft {
  const { attributes, children } = element
  const skipped = children.find(({ name }) => name === 'skipped')
  const { outcome, attempts } = findOutcome(element, skipped)
  const { output, attachments } = mapOutput(children, context)
  const ran = attempts.length > 0 ? attempts : output.length > 0 ? [createAttempt('skipped', [])] : []
  // If there are several attempts, the file does not say which wrote what.
  const last = ran.at(-1)
  last?.output.unshift(...output)
  last?.attachments.unshift(...attachments)
  const { file, line } = attributes
  return {
    titles,
    outcome,
    flaky: outcome === 'passed' && attempts.length > 1,
    startedAtMs: parseTimestamp(attributes['timestamp'], context.isLocalTime),
    durationMs: parseSeconds(attributes['time']),
    attempts: ran,
    location: file ? { file: relateFile(file, context.projectRoot), line: parseLine(line) } : undefined,
    skipReason: skipped && outcome !== 'failed' ? readReason(skipped) : undefined,
    ...mapProperties(readProperties(children)),
  }
}

const FAILURES = new Set(['failure', 'error'])
/** Surefire's, and those who write as it does: a try that failed, of a test that failed or passed in the end. */
const RERUNS = new Set(['rerunFailure', 'rerunError', 'flakyFailure', 'flakyError'])

const FAILED_STATUS = /^(?:fail(?:ed|ure)?|error|broken|timed ?out)$/i
const UNRUN_STATUS = /^(?:notrun|disabled|skipped|suppressed|ignored|pending)$/i

type Verdict = Pick<TestDraft, 'outcome' | 'attempts'>

function findOutcome({ attributes, children }: XmlElement, skipped: XmlElement | undefined): Verdict {
  const failures = children.filter(({ name }) => FAILURES.has(name)).map(mapError)
  const reruns = children.filter(({ name }) => RERUNS.has(name))
  const tries = reruns.map((rerun) => mapRerun(rerun))
  // The test's time is that of its own try where each other try has one.
  const isTimed = tries.length > 0 && tries.every(({ durationMs }) => durationMs !== undefined)
  const durationMs = isTimed ? parseSeconds(attributes['time']) : undefined
  const isTodo = skipped?.attributes['type'] === 'todo'
  // node:test writes a test that is marked as todo with its error: it fails nothing.
  if (isTodo)
    return { outcome: 'todo', attempts: failures.length > 0 ? [createAttempt('failed', failures)] : [] }
  const words = [attributes['status'], attributes['result']].filter((word) => word !== undefined)
  // Surefire writes these for a test that failed each time; one that passed in the end has `flakyFailure`.
  const failedAgain = reruns.some(({ name }) => name.startsWith('rerun'))
  const isFailed = failures.length > 0 || failedAgain || words.some((word) => FAILED_STATUS.test(word))
  if (isFailed)
    return { outcome: 'failed', attempts: [{ ...createAttempt('failed', failures), durationMs }, ...tries] }
  if (skipped || words.some((word) => UNRUN_STATUS.test(word))) return { outcome: 'skipped', attempts: [] }
  return { outcome: 'passed', attempts: [...tries, { ...createAttempt('passed', []), durationMs }] }
}

function createAttempt(status: string, errors: ErrorDetail[]): Attempt {
  return { status, errors, attachments: [], output: [] }
}

function mapRerun(element: XmlElement): Attempt {
  const stack = element.children.find(({ name }) => name === 'stackTrace')?.text ?? element.text
  const output = element.children.flatMap((child) => mapStream(child) ?? [])
  const durationMs = parseSeconds(element.attributes['time'])
  return { ...createAttempt('failed', [mapError({ ...element, text: stack })]), output, durationMs }
}

/** A type is a part of the message only where it names an exception: some tools write a word of their own. */
const EXCEPTION = /\w(?:Error|Exception|Throwable|Failure)$/

export function mapError({ attributes, text }: Pick<XmlElement, 'attributes' | 'text'>): ErrorDetail {
  const stack = restoreEscapes(text)
    .replace(/^\s*\n/, '')
    .trimEnd()
  const { type = '', message: word = '' } = attributes
  // Go's converters write this one word, and what the test said into the text.
  const said = word === 'Failed' && type === '' ? readGoFailure(stack) : ''
  const given = said || restoreEscapes(word).trim()
  const shown = given || (stack.split('\n', 1)[0] ?? '').trim()
  const isComplete = !EXCEPTION.test(type) || shown.includes(type.replace(/^.*[.:\\]/, ''))
  const message = isComplete ? shown || type : [type, shown].filter(Boolean).join(': ')
  return { message: message || 'no message', stack: stack === '' || stack === message ? undefined : stack }
}

const STREAMS = new Map<string, OutputEntry['stream']>([
  ['system-out', 'stdout'],
  ['system-err', 'stderr'],
])

/** What `<system-out>` or `<system-err>` says; undefined for another element, or nothing. */
export function mapStream({ name, text }: XmlElement): OutputEntry | undefined {
  const stream = STREAMS.get(name)
  if (stream === undefined || text.trim() === '') return undefined
  return {
    stream,
    text: `${restoreEscapes(text)
      .replace(/^\s*\n/, '')
      .trimEnd()}\n`,
  }
}

const ATTACHMENT = /^[ \t]*\[\[ATTACHMENT\|(.+?)\]\][ \t]*$/gm

/** Lines such as `[[ATTACHMENT|shot.png]]` become attachments. */
function mapOutput(
  children: readonly XmlElement[],
  { attachments: finder }: ReadContext,
): { output: OutputEntry[]; attachments: Attachment[] } {
  const attachments: Attachment[] = []
  const output = children.flatMap((child) => {
    if (!STREAMS.has(child.name)) return []
    const text = child.text.replace(ATTACHMENT, (_, file: string) => {
      attachments.push(...finder.find({ file: file.trim() }))
      return ''
    })
    return mapStream({ ...child, text }) ?? []
  })
  return { output, attachments }
}

/** The entries of `<properties>`; a value may also be the element's text. */
export function readProperties(children: readonly XmlElement[]): [name: string, value: string][] {
  const all = children.filter(({ name }) => name === 'properties').flatMap((each) => each.children)
  return all.flatMap(({ attributes: { name, value }, text }): [string, string][] =>
    name ? [[name, (value ?? text).trim()]] : [],
  )
}

/** What a test says of itself: a property without a value is a tag. */
function mapProperties(
  properties: readonly [name: string, value: string][],
): Pick<TestDraft, 'annotations' | 'tags' | 'owner'> {
  const filled = properties.filter(([, value]) => value !== '')
  const tags = properties.filter(([, value]) => value === '').map(([name]) => name)
  return {
    annotations: filled.map(([type, description]) => ({ type, description })),
    tags: tags.length === 0 ? undefined : tags,
    owner: filled.find(([name]) => name === 'owner')?.[1],
  }
}

function readReason({ attributes, text }: XmlElement): string | undefined {
  const given = attributes['message']?.trim() || text.trim()
  const reason = given.startsWith('=== RUN ') ? readGoOutput(given) : given
  // node:test writes `true` where its author gave no reason.
  return reason === '' || reason === 'true' ? undefined : reason
}

function parseLine(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}
