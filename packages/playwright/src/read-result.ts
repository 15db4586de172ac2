import type { SourceLocation } from '@runledger/core'
import { readFields, readObjects, readText, readTime } from '@runledger/reporter-kit'
import type { TestCase, TestResult, TestStep } from '@playwright/test/reporter'
import type { PlaywrightAttachment } from './map-attachments'

// Workers may run a patched Playwright, and reports may be merged: unusable values count as absent.

/** With their identities: a result and a step name the same attachment. */
export function readAttachments({ attachments }: Pick<TestResult, 'attachments'>): PlaywrightAttachment[] {
  const all = readObjects(attachments).filter(({ name, path, contentType, body }) => {
    const texts = [name, path, contentType]
    const hasTexts = texts.every((each) => each === undefined || typeof each === 'string')
    return hasTexts && (body === undefined || body instanceof Uint8Array)
  })
  return all as unknown as PlaywrightAttachment[]
}

export function readSteps({ steps }: Pick<TestResult | TestStep, 'steps'>): TestStep[] {
  return readObjects(steps).filter(({ title }) => typeof title === 'string') as unknown as TestStep[]
}

/** Undefined for an invalid date, and for one near a mocked clock's zero. */
export function readStart({ startTime }: Pick<TestResult | TestStep, 'startTime'>): number | undefined {
  return readTime((startTime as Date | null | undefined)?.valueOf())
}

const MAX_WORKER = 1_000_000_000

export function readWorker({ workerIndex }: Pick<TestResult, 'workerIndex'>): number | undefined {
  return Number.isSafeInteger(workerIndex) && workerIndex >= 0 && workerIndex <= MAX_WORKER
    ? workerIndex
    : undefined
}

/** False for a step under way at its test's end. */
export function hasEnded({ duration }: Pick<TestStep, 'duration'>): boolean {
  return duration !== -1
}

/** Up to 1.50, the column of a syntax error can be 0. */
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

/** Of a test or, since 1.52, of an attempt. */
export function readAnnotations(
  holder: Pick<TestCase, 'annotations'> | TestResult,
): ReadAnnotation[] | undefined {
  const { annotations } = readFields(holder)
  if (!Array.isArray(annotations)) return undefined
  return readObjects(annotations).flatMap(({ type, description }) =>
    typeof type === 'string' ? [{ type, description: readText(description) }] : [],
  )
}
