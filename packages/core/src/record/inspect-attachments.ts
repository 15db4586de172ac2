import { access, constants, stat } from 'node:fs/promises'
import { statSync, type Stats } from 'node:fs'
import { describeError } from '../model/errors'
import { doFew } from '../util/map-concurrent'
import type { FilePace } from '../file-pace'
import type { Surveys } from './survey'
import type { KeptBytes } from '../spool/keep-bytes'
import type { Attachment, Suite } from '../model/suite'

/**
 * What is known of an attachment before it is sent: its size and, where the spool has its bytes, those, or bytes that go
 * in their place; or why it cannot go.
 */
export type Inspection =
  { sizeBytes: number; kept?: KeptBytes | undefined; bytes?: Uint8Array | undefined } | { refusal: string }
export type Inspections = Map<Attachment, Inspection>

/** Looks at every attachment of the suites once, a few at a time. */
export async function inspectAttachments(
  suites: readonly Suite[],
  inspect: (attachment: Attachment) => Promise<Inspection>,
): Promise<Inspections> {
  const inspections: Inspections = new Map()
  await doFew(listAttachments(suites), async (attachment) => {
    inspections.set(attachment, await inspect(attachment))
  })
  return inspections
}

/** Every attachment of the suites, of their tests and attempts too. */
export function listAttachments(suites: readonly Suite[], surveys?: Surveys): Attachment[] {
  const all: Attachment[] = []
  const add = ({ attachments }: { attachments: Attachment[] }): void => {
    for (const attachment of attachments) all.push(attachment)
  }
  for (const suite of suites) {
    add(suite)
    for (const { attempts } of surveys?.of(suite).special ?? suite.tests) attempts.forEach(add)
  }
  return all
}

/** Refuses what is missing, no file, or too large, with the reason. */
export async function inspectAttachment(attachment: Attachment, maxBytes: number): Promise<Inspection> {
  if ('bytes' in attachment) return checkSize(attachment.bytes.byteLength, maxBytes)
  const stats = await statFile(attachment.path)
  return 'refusal' in stats ? stats : checkSize(stats.size, maxBytes)
}

/** A regular file's facts, or why there is none. */
export async function statFile(
  path: string,
  pace?: FilePace,
): Promise<Stats | { refusal: string; isMissing?: boolean }> {
  const patiently = (): Promise<Stats> => stat(path)
  try {
    const stats = await (pace ? pace.do(() => statSync(path), patiently) : patiently())
    return stats.isFile() ? stats : { refusal: 'it is not a file' }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ENOENT') return { refusal: describeError(error) }
    return { refusal: 'the file does not exist', isMissing: true }
  }
}

export function checkSize(sizeBytes: number, maxBytes: number): { sizeBytes: number } | { refusal: string } {
  if (sizeBytes <= maxBytes) return { sizeBytes }
  return { refusal: `its ${sizeBytes} bytes are over maxAttachmentBytes (${maxBytes})` }
}

/** Why a file cannot be read, when it is the file that is at fault and not the spool. */
export async function findUnreadable(path: string): Promise<{ refusal: string } | undefined> {
  try {
    await access(path, constants.R_OK)
    return undefined
  } catch (error) {
    return { refusal: describeError(error) }
  }
}
