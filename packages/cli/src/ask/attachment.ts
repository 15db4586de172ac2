import type { Service } from '@runledger/core/tools'
import type { RunAttachment } from '@runledger/protocol'
import { code, deriveKind, findSuiteLog } from '@runledger/presentation'
import { CommandError } from '../command-error'

/** Most bytes that are read at once. */
export const MAX_TEXT_BYTES = 32 * 1024
const MAX_NAMES = 30

export interface AttachmentText {
  name: string
  text: string
  /** Byte of the attachment that the text begins with, and the one after its end. */
  start: number
  end: number
  size: number
}

export interface AttachmentPlace {
  runId: string
  /** Left out, the log of the suite. */
  name?: string | undefined
  /** Byte to begin with; left out, the end of the attachment is read. */
  offset?: number | undefined
}

/** Part of an attachment that is text. @throws CommandError when there is none of that name, or it is no text */
export async function readAttachmentText(
  { client, readBytes }: Service,
  { runId, name, offset }: AttachmentPlace,
): Promise<AttachmentText> {
  const { attachments } = await client.getRun({ params: { id: runId } })
  const found = findAttachment(attachments, name)
  if (!isText(found))
    throw new CommandError(`${code(found.name)} is no text: ${code(found.content_type ?? 'unknown type')}`)
  const { download_url: url, size } = found
  if (url === null || size === null)
    throw new CommandError(`the bytes of ${code(found.name)} have not arrived`)
  const start = Math.min(offset ?? Math.max(0, size - MAX_TEXT_BYTES), size)
  const end = Math.min(size, start + MAX_TEXT_BYTES)
  const bytes = start === end ? '' : await readBytes(url, { start, end: end - 1 })
  if (bytes.includes('\0'))
    throw new CommandError(`${code(found.name)} is no text: it has NUL characters in it`)
  return { name: found.name, text: withoutHalves(bytes), start, end, size }
}

/** Markup is text to read, though a page must not show it. */
function isText(attachment: RunAttachment): boolean {
  const { content_type: type } = attachment
  return deriveKind(attachment) === 'text' || /^text\/|[/+]xml\b/.test(type ?? '')
}

// A character may have been cut in two at either end.
function withoutHalves(text: string): string {
  return text.replace(/^\uFFFD{1,3}|\uFFFD{1,3}$/g, '')
}

/** By its whole name, or by the name of its file where only one has it. @throws CommandError */
function findAttachment(attachments: readonly RunAttachment[], name: string | undefined): RunAttachment {
  if (name === undefined) {
    const log = findSuiteLog([...attachments])
    if (log) return log
    throw new CommandError(`the run has no log of its test file: ${listNames(attachments)}`)
  }
  const whole = attachments.find((each) => each.name === name)
  const [found, ...others] = attachments.filter((each) => each.name.endsWith(`/${name}`))
  if (whole ?? (found && others.length === 0)) return (whole ?? found) as RunAttachment
  const problem = found ? 'several attachments' : 'no attachment'
  throw new CommandError(`the run has ${problem} ${code(name)}: ${listNames(attachments)}`)
}

function listNames(attachments: readonly RunAttachment[]): string {
  const names = attachments.slice(0, MAX_NAMES).map((each) => code(each.name))
  const left = attachments.length - names.length
  return names.length === 0
    ? 'it has none'
    : `it has ${names.join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}
