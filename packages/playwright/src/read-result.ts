import type { SourceLocation } from '@runledger/core'
import { readFields, readObjects, readText, readTime } from '@runledger/reporter-kit'
import type { TestCase, TestResult, TestStep } from '@playwright/test/reporter'
import type { PlaywrightAttachment } from './map-attachments'

// Results come from workers, whose Playwright may be patched, and from merged reports: what cannot be used counts as absent.

/** Each with its identity: Playwright names the same attachment in a result and in a step. */
export function readAttachments({ attachments }: Pick<TestResult, 'attachments'>): PlaywrightAttachment[] {
  const all = readObjects(attachments).filter(({ name, path, contentType, body }) => {
    const texts = [name, path, contentType]
    const hasTexts = texts.every((each) => each === undefined || typeof each === 'string')
    return hasTexts && (body === undefined || body instanceof Uint8Array)
  })
  return all as unknown as PlaywrightAttachment[]
}

/** The steps that have a title; those inside of them are read one by one. */
export function readSteps({ steps }: Pick<TestResult | TestStep, 'steps'>): TestStep[] {
  return readObjects(steps).filter(({ title }) => typeof title === 'string') as unknown as TestStep[]
}

/** In milliseconds since the Unix epoch; undefined for what is no date, and for one of a mocked clock near its zero. */
export function readStart({ startTime }: Pick<TestResult | TestStep, 'startTime'>): number | undefined {
  return readTime((startTime as Date | null | undefined)?.valueOf())
}

const MAX_WORKER = 1_000_000_000

/** Number of the worker that an attempt ran in; undefined for -1, which is none. */
export function readWorker({ workerIndex }: Pick<TestResult, 'workerIndex'>): number | undefined {
  return Number.isSafeInteger(workerIndex) && workerIndex >= 0 && workerIndex <= MAX_WORKER
    ? workerIndex
    : undefined
}

/** False for a step that was under way when its test ended. */
export function hasEnded({ duration }: Pick<TestStep, 'duration'>): boolean {
  return duration !== -1
}

/** A place by the file's whole path; undefined for what is none. Up to 1.50, the column of a syntax error can be 0. */
export function readPlace(value: unknown): SourceLocation | undefined {
  const { file, line, column } = readFields(value)
  if (typeof file !== 'string' || file === '') return undefined
  return { file, ...(isCount(line) && { line }), ...(isCount(line) && isCount(column) && { column }) }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

export interface ReadAnnotation {
  type: string
  description: string | undefined
}

/** The annotations of a test or, since Playwright 1.52, of an attempt; undefined where there are none to read. */
export function readAnnotations(
  holder: Pick<TestCase, 'annotations'> | TestResult,
): ReadAnnotation[] | undefined {
  const { annotations } = readFields(holder)
  if (!Array.isArray(annotations)) return undefined
  return readObjects(annotations).flatMap(({ type, description }) =>
    typeof type === 'string' ? [{ type, description: readText(description) }] : [],
  )
}
