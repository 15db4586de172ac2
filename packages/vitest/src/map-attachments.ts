import path from 'node:path'
import type { Attachment, OutputEntry, Said } from '@runledger/core'
import { SAID_META } from '@runledger/core/test-side'
import { readAnnotations, readArtifacts } from './framework-types'
import type { TestAnnotation, TestArtifact, TestAttachment, TestCase } from './framework-types'
import { mapSaid } from './map-said'
import type { Notes } from './module-notes'

const FAILURE_SCREENSHOT = 'internal:failureScreenshot'

/** Something that a test recorded: an attachment, a line for the log, or what it said, and which try it belongs to. */
export interface Recorded {
  /** Index of the try, from 0; undefined when Vitest does not tell. */
  tryIndex?: number | undefined
  /** Index among the tries that failed, -1 for the last: failure screenshots come one for each of them. */
  failureIndex?: number | undefined
  attachment?: Attachment
  output?: OutputEntry
  said?: Said
}

/** Maps what a test recorded with our functions, `annotate` and `recordArtifact`, and browser mode's failure screenshots. */
export function mapRecorded(testCase: TestCase, notes: Notes): Recorded[] {
  const recorded = mapSaid(testCase, notes.channelFolder)
  const annotations = readAnnotations(testCase)
  const artifacts = readArtifacts(testCase)
  const screenshot = mapScreenshotOfVitest3(testCase)
  // Most tests have none of these.
  if (annotations.length > 0) recorded.push(...mapAnnotations(annotations, testCase, notes))
  if (artifacts.length > 0) recorded.push(...mapArtifacts(artifacts, testCase, notes))
  if (screenshot !== undefined) recorded.push(screenshot)
  return recorded
}

/** False where `mapRecorded` finds nothing. */
export function hasRecorded(testCase: TestCase): boolean {
  const meta = testCase.meta() as { [SAID_META]?: unknown; failScreenshotPath?: unknown }
  if (meta[SAID_META] !== undefined || meta.failScreenshotPath !== undefined) return true
  return readAnnotations(testCase).length + readArtifacts(testCase).length > 0
}

function mapAnnotations(
  annotations: readonly TestAnnotation[],
  testCase: TestCase,
  notes: Notes,
): Recorded[] {
  const { root } = testCase.project.config
  return annotations.flatMap((annotation) =>
    mapAnnotation(annotation, root).map((mapped) => ({ ...mapped, tryIndex: notes.readTry(annotation) })),
  )
}

function mapAnnotation({ message, type, attachment, location }: TestAnnotation, root: string): Recorded[] {
  const origin = location && `${location.file}:${location.line}:${location.column}`
  const url = attachment?.path && isUrl(attachment.path) ? ` ${attachment.path}` : ''
  const output: OutputEntry = { stream: 'stdout', text: `[${type}] ${message}${url}`, origin }
  return [{ output }, ...(attachment ? mapAttachment(attachment, { name: message, root }) : [])]
}

function mapArtifacts(artifacts: readonly TestArtifact[], testCase: TestCase, notes: Notes): Recorded[] {
  const { root } = testCase.project.config
  let failures = 0
  return artifacts.flatMap((artifact) => {
    const isScreenshot = artifact.type === FAILURE_SCREENSHOT && artifact.attachments.length > 0
    const failureIndex = isScreenshot ? failures++ : undefined
    const tryIndex = notes.readTry(artifact)
    return listAttachments(artifact)
      .flatMap((attachment) => mapAttachment(attachment, { name: nameOf(attachment, artifact), root }))
      .map((mapped) => ({ ...mapped, tryIndex, failureIndex }))
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

// Vitest 3 tells only the last failure's screenshot, in the test's meta.
function mapScreenshotOfVitest3(testCase: TestCase): Recorded | undefined {
  const { failScreenshotPath } = testCase.meta() as { failScreenshotPath?: unknown }
  if (typeof failScreenshotPath !== 'string') return undefined
  const file = path.resolve(testCase.project.config.root, failScreenshotPath)
  return { failureIndex: -1, attachment: { name: path.basename(file), path: file } }
}

interface AttachmentFacts {
  name: string
  root: string
}

function mapAttachment(attachment: TestAttachment, { name, root }: AttachmentFacts): Recorded[] {
  const contentType = attachment.contentType
  if (attachment.path !== undefined) {
    // A URL stays where it is (framework facts §3.3); the log has it.
    if (isUrl(attachment.path)) return []
    const file = path.resolve(root, attachment.path)
    return [{ attachment: { name: name.trim() || path.basename(file), path: file, contentType } }]
  }
  const bytes = decodeBody(attachment)
  if (bytes === undefined) return [{ output: refuseBody(name) }]
  return [{ attachment: { name: name.trim() || 'attachment', bytes, contentType } }]
}

function isUrl(text: string): boolean {
  return text.startsWith('http://') || text.startsWith('https://')
}

/** A body that is a string is base64 unless it says otherwise; undefined when it cannot be read back. */
function decodeBody({ body, ...rest }: TestAttachment): Uint8Array | undefined {
  if (body instanceof Uint8Array) return body
  if (typeof body !== 'string') return undefined
  const { bodyEncoding } = rest as { bodyEncoding?: string }
  if (bodyEncoding === 'utf-8') return Buffer.from(body, 'utf8')
  // Vitest 3.2 writes "undefined" for + and / when it encodes bytes: what they were is lost.
  return body.includes('undefined') ? undefined : Buffer.from(body, 'base64')
}

function refuseBody(name: string): OutputEntry {
  const text = `not attached: ${name}: Vitest did not hand over its bytes intact (give a base64 string as body)`
  return { stream: 'stderr', text }
}
