import { stat } from 'node:fs/promises'
import { describeError } from '../errors'
import type { Attachment, Suite } from '../suite'

/** What is known of an attachment before it is sent: its size, or why it cannot go. */
export type Inspection = { sizeBytes: number } | { refusal: string }
export type Inspections = Map<Attachment, Inspection>

/** Looks at every attachment of the suites once: files that are missing or too large are refused, with the reason. */
export async function inspectAttachments(suites: readonly Suite[], maxBytes: number): Promise<Inspections> {
  const inspections: Inspections = new Map()
  for (const attachment of listAttachments(suites)) {
    inspections.set(attachment, await inspect(attachment, maxBytes))
  }
  return inspections
}

function listAttachments(suites: readonly Suite[]): Attachment[] {
  return suites.flatMap((suite) => [
    ...suite.attachments,
    ...suite.tests.flatMap((test) => test.attempts.flatMap((attempt) => attempt.attachments)),
  ])
}

async function inspect(attachment: Attachment, maxBytes: number): Promise<Inspection> {
  if ('bytes' in attachment) return checkSize(attachment.bytes.byteLength, maxBytes)
  try {
    const stats = await stat(attachment.path)
    return stats.isFile() ? checkSize(stats.size, maxBytes) : { refusal: 'it is not a file' }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return { refusal: code === 'ENOENT' ? 'the file does not exist' : describeError(error) }
  }
}

function checkSize(sizeBytes: number, maxBytes: number): Inspection {
  if (sizeBytes <= maxBytes) return { sizeBytes }
  return { refusal: `its ${sizeBytes} bytes are over maxAttachmentBytes (${maxBytes})` }
}
