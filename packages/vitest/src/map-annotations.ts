import path from 'node:path'
import type { OutputEntry } from '@runledger/core'
import { formatText, readFields, readList, readText } from '@runledger/reporter-kit'
import type { TestAnnotation, TestArtifact, TestAttachment, TestCase } from './framework-types'
import { mapEvents, type RecordedItem } from './map-events'
import type { Notes } from './module-notes'
import { readAnnotations, readArtifacts, readMeta } from './read-entity'

const FAILURE_SCREENSHOT = 'internal:failureScreenshot'

/** Maps events of our functions, annotations, artifacts, and browser mode's failure screenshots. */
export function mapRecorded(testCase: TestCase, notes: Notes): RecordedItem[] {
  return [
    ...mapEvents(testCase, notes.channelFolder),
    ...mapAnnotations(readAnnotations(testCase), testCase, notes),
    ...mapArtifacts(readArtifacts(testCase), testCase, notes),
    ...mapScreenshotOfVitest3(testCase),
  ]
}

function mapAnnotations(
  annotations: readonly TestAnnotation[],
  testCase: TestCase,
  notes: Notes,
): RecordedItem[] {
  const { root } = testCase.project.config
  return annotations.flatMap((annotation) =>
    mapAnnotation(annotation, root).map((mapped) => ({
      ...mapped,
      attemptIndex: notes.readAttemptIndex(annotation),
    })),
  )
}

function mapAnnotation(annotation: TestAnnotation, root: string): RecordedItem[] {
  const { location, attachment } = annotation
  const message = formatText(annotation.message)
  const origin = location && `${location.file}:${location.line}:${location.column}`
  const file = readText(attachment?.path)
  const url = file !== undefined && isUrl(file) ? ` ${file}` : ''
  const text = `[${formatText(annotation.type)}] ${message}${url}`
  const output: OutputEntry = { stream: 'stdout', text, origin }
  return [{ output }, ...(attachment ? mapAttachment(attachment, { name: message, root }) : [])]
}

function mapArtifacts(artifacts: readonly TestArtifact[], testCase: TestCase, notes: Notes): RecordedItem[] {
  const { root } = testCase.project.config
  let failures = 0
  return artifacts.flatMap((artifact) => {
    const attachments = listAttachments(artifact)
    const isScreenshot = artifact.type === FAILURE_SCREENSHOT && attachments.length > 0
    const failureIndex = isScreenshot ? failures++ : undefined
    const attemptIndex = notes.readAttemptIndex(artifact)
    return attachments
      .flatMap((attachment) => mapAttachment(attachment, { name: nameOf(attachment, artifact), root }))
      .map((mapped) => ({ ...mapped, attemptIndex, failureIndex }))
  })
}

function listAttachments(artifact: TestArtifact): readonly TestAttachment[] {
  const { attachments } = artifact as { attachments?: unknown }
  return readList(attachments).map((each) => readFields(each) as TestAttachment)
}

function nameOf(attachment: TestAttachment, { type }: TestArtifact): string {
  const { name, originalPath } = attachment as { name?: unknown; originalPath?: unknown }
  if (typeof name === 'string' && name !== '') return name
  const file = readText(originalPath) ?? readText(attachment.path)
  return file === undefined ? formatText(type) : path.basename(file)
}

// Vitest 3 reports only the last failure's screenshot, in the test's meta.
function mapScreenshotOfVitest3(testCase: TestCase): RecordedItem[] {
  const { failScreenshotPath } = readMeta(testCase)
  if (typeof failScreenshotPath !== 'string') return []
  const file = path.resolve(testCase.project.config.root, failScreenshotPath)
  return [{ failureIndex: -1, attachment: { name: path.basename(file), path: file } }]
}

interface AttachmentFacts {
  name: string
  root: string
}

function mapAttachment(attachment: TestAttachment, { name, root }: AttachmentFacts): RecordedItem[] {
  const contentType = readText(attachment.contentType)
  const place = readText(attachment.path)
  if (place !== undefined) {
    // A URL is not downloaded; the log has it.
    if (isUrl(place)) return []
    const file = path.resolve(root, place)
    return [{ attachment: { name: name.trim() || path.basename(file), path: file, contentType } }]
  }
  const bytes = decodeBody(attachment)
  if (bytes === undefined) return [{ output: describeLostBody(name) }]
  return [{ attachment: { name: name.trim() || 'attachment', bytes, contentType } }]
}

function isUrl(text: string): boolean {
  return text.startsWith('http://') || text.startsWith('https://')
}

/** A string is base64 unless its encoding says otherwise; undefined if it cannot be decoded. */
function decodeBody({ body, ...rest }: TestAttachment): Uint8Array | undefined {
  if (body instanceof Uint8Array) return body
  if (typeof body !== 'string') return undefined
  const { bodyEncoding } = rest as { bodyEncoding?: string }
  if (bodyEncoding === 'utf-8') return Buffer.from(body)
  // Vitest 3.2 writes "undefined" for + and / in base64: the original is lost.
  return body.includes('undefined') ? undefined : Buffer.from(body, 'base64')
}

function describeLostBody(name: string): OutputEntry {
  const text = `not attached: ${name}: Vitest did not hand over its bytes intact (give a base64 string as body)`
  return { stream: 'stderr', text }
}
