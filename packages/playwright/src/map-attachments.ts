import path from 'node:path'
import type { Attachment } from '@runledger/core'
import type { TestResult } from '@playwright/test/reporter'

export type PlaywrightAttachment = TestResult['attachments'][number]

const PRIVATE_MEDIA_TYPE = 'application/vnd.runledger'

/** `keptPaths` leads to copies of files that Playwright removes. */
export function mapAttachments(
  attachments: readonly PlaywrightAttachment[],
  keptPaths: ReadonlyMap<string, string>,
): Attachment[] {
  return selectAttachments(attachments).flatMap((attachment) => mapAttachment(attachment, keptPaths))
}

/** No private attachment, and no file twice. */
export function selectAttachments(attachments: readonly PlaywrightAttachment[]): PlaywrightAttachment[] {
  const knownFiles = new Set<string>()
  return attachments.filter((attachment) => {
    if (attachment.contentType?.startsWith(PRIVATE_MEDIA_TYPE)) return false
    if (attachment.path === undefined) return true
    // Playwright sometimes attaches `error-context` twice.
    const key = JSON.stringify([attachment.path, attachment.name])
    const isKnown = knownFiles.has(key)
    knownFiles.add(key)
    return !isKnown
  })
}

function mapAttachment(
  { name, contentType, path: file, body }: PlaywrightAttachment,
  keptPaths: ReadonlyMap<string, string>,
): Attachment[] {
  const named = {
    name: name || (file === undefined ? 'attachment' : path.basename(file)),
    ...(contentType ? { contentType } : {}),
  }
  if (file !== undefined) return [{ ...named, path: keptPaths.get(file) ?? file }]
  return body === undefined ? [] : [{ ...named, bytes: body }]
}
