import path from 'node:path'
import type { OutputEntry } from '@runledger/core'
import { readAnnotations, readArtifacts } from './framework-types'
import type { TestAnnotation, TestArtifact, TestAttachment, TestCase } from './framework-types'
import { mapEvents, type RecordedItem } from './map-events'
import type { Notes } from './module-notes'

const FAILURE_SCREENSHOT = 'internal:failureScreenshot'

/** Maps what a test recorded: events of our functions, annotations, artifacts, and browser mode's failure screenshots. */
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

function mapAnnotation(
  { message, type, attachment, location }: TestAnnotation,
  root: string,
): RecordedItem[] {
  const origin = location && `${location.file}:${location.line}:${location.column}`
  const url = attachment?.path && isUrl(attachment.path) ? ` ${attachment.path}` : ''
  const output: OutputEntry = { stream: 'stdout', text: `[${type}] ${message}${url}`, origin }
  return [{ output }, ...(attachment ? mapAttachment(attachment, { name: message, root }) : [])]
}

function mapArtifacts(artifacts: readonly TestArtifact[], testCase: TestCase, notes: Notes): RecordedItem[] {
  const { root } = testCase.project.config
  let failures = 0
  return artifacts.flatMap((artifact) => {
    const isScreenshot = artifact.type === FAILURE_SCREENSHOT && artifact.attachments.length > 0
    const failureIndex = isScreenshot ? failures++ : undefined
    const attemptIndex = notes.readAttemptIndex(artifact)
    return listAttachments(artifact)
      .flatMap((attachment) => mapAttachment(attachment, { name: nameOf(attachment, artifact), root }))
      .map((mapped) => ({ ...mapped, attemptIndex, failureIndex }))
  })
}

function listAttachments(artifact: TestArtifact): readonly TestAttachment[] {
  const { attachments } = artifact as { attachments?: readonly TestAttachment[] }
  return Array.isArray(attachments) ? attachments : []
}

function nameOf(attachment: TestAttachment, { type }: TestArtifact): string {
  const { name, originalPath } = attachment as { name?: unknown; originalPath?: unknown }
  if (typeof name === 'string' && name !== '') return name
  const file = typeof originalPath === 'string' ? originalPath : attachment.path
  return file === undefined ? type : path.basename(file)
}

// Vitest 3 tells only the screenshot of the last failure, in the test's meta.
function mapScreenshotOfVitest3(testCase: TestCase): RecordedItem[] {
  const { failScreenshotPath } = testCase.meta() as { failScreenshotPath?: unknown }
  if (typeof failScreenshotPath !== 'string') return []
  const file = path.resolve(testCase.project.config.root, failScreenshotPath)
  return [{ failureIndex: -1, attachment: { name: path.basename(file), path: file } }]
}

interface AttachmentFacts {
  name: string
  root: string
}

function mapAttachment(attachment: TestAttachment, { name, root }: AttachmentFacts): RecordedItem[] {
  const contentType = attachment.contentType
  if (attachment.path !== undefined) {
    // A URL is not downloaded; the log has it.
    if (isUrl(attachment.path)) return []
    const file = path.resolve(root, attachment.path)
    return [{ attachment: { name: name.trim() || path.basename(file), path: file, contentType } }]
  }
  const bytes = decodeBody(attachment)
  if (bytes === undefined) return [{ output: describeLostBody(name) }]
  return [{ attachment: { name: name.trim() || 'attachment', bytes, contentType } }]
}

function isUrl(text: string): boolean {
  return text.startsWith('http://') || text.startsWith('https://')
}

/** A string body is base64 unless its encoding says otherwise; undefined when it cannot be decoded. */
function decodeBody({ body, ...rest }: TestAttachment): Uint8Array | undefined {
  if (body instanceof Uint8Array) return body
  if (typeof body !== 'string') return undefined
  const { bodyEncoding } = rest as { bodyEncoding?: string }
  if (bodyEncoding === 'utf-8') return Buffer.from(body, 'utf8')
  // Vitest 3.2 writes "undefined" for + and / when it encodes bytes: the original is lost.
  return body.includes('undefined') ? undefined : Buffer.from(body, 'base64')
}

function describeLostBody(name: string): OutputEntry {
  const text = `not attached: ${name}: Vitest did not hand over its bytes intact (give a base64 string as body)`
  return { stream: 'stderr', text }
}
