import type * as NodeFileSystem from 'node:fs'
import type * as NodePath from 'node:path'
import type { FileEvent, TestApiEvent } from '@runledger/core'
import type { AttachmentInput, EventSink } from './event-sink'
import { getBuiltIn } from './runtime'

const FOLDER_VARIABLE = 'RUNLEDGER_CHANNEL_FOLDER'

/** Undefined without a reporter and in a browser. */
export function readChannelFolder(): string | undefined {
  return getBuiltIn<NodeJS.Process>('node:process')?.env[FOLDER_VARIABLE] || undefined
}

export function announceChannelFolder(folder: string | undefined): void {
  if (folder === undefined) delete process.env[FOLDER_VARIABLE]
  else process.env[FOLDER_VARIABLE] = folder
}

// Kept on loading, because a test may mock them. A browser has none of them.
const { constants, copyFileSync, writeFileSync } = (getBuiltIn('node:fs') ?? {}) as typeof NodeFileSystem
const { extname, join } = (getBuiltIn('node:path') ?? {}) as typeof NodePath
const { randomUUID } = (getBuiltIn('node:crypto') ?? {}) as { randomUUID?: () => string }

let prefix: string | undefined
let count = 0

/** Returns the copy's name, or why it could not be made. */
export function copyAttachment(
  folder: string,
  { source }: AttachmentInput,
): { file: string } | { refusal: string } {
  if (copyFileSync === undefined) return { refusal: 'there is no file system here' }
  const extension = 'path' in source ? extname(source.path).replaceAll(/[^.\w-]/g, '') : ''
  prefix ??= createUniqueId()
  count += 1
  const file = `${prefix}-${count}${extension}`
  const target = join(folder, file)
  try {
    if ('path' in source) copyFileSync(source.path, target, constants.COPYFILE_FICLONE)
    else writeFileSync(target, source.bytes, { mode: 0o600, flag: 'wx' })
    return { file }
  } catch (error) {
    return { refusal: String(error) }
  }
}

/** Copies attachments into the channel folder, and passes all events to `write`. */
export function createFolderSink(
  folder: string,
  write: (event: TestApiEvent | FileEvent) => void,
): EventSink {
  const record = (event: TestApiEvent | FileEvent): void => {
    try {
      write(event)
    } catch {
      // A full disk or a removed channel must not fail the test.
    }
  }
  return {
    record,
    attach: (attachment, stamp) => {
      const copied = copyAttachment(folder, attachment)
      if ('refusal' in copied) return copied.refusal
      const { name, contentType } = attachment
      record({ kind: 'file', name, contentType, file: copied.file, ...stamp })
      return undefined
    },
  }
}

/** Unique on this machine, even if this code is loaded several times. */
export function createUniqueId(): string {
  const pid = getBuiltIn<NodeJS.Process>('node:process')?.pid ?? 0
  return `${pid}-${randomUUID?.() ?? ''}`
}
