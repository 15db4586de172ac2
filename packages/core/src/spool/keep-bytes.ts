import { createHash } from 'node:crypto'
import { chmodSync, constants, copyFileSync, writeFileSync } from 'node:fs'
import { copyFile, open, writeFile, type FileHandle } from 'node:fs/promises'
import { quoteText, unquoteText } from '../format-json'
import { FILE_MODE, makePrivate } from './durable-write'
import type { FileMask } from '../redact/redactor'

const READ_BYTES = 256 * 1024

/** Bytes as they lie in the spool: in a file of their own. On the disk for certain only when their entry is. */
export interface KeptFile {
  /** Where they are. */
  path: string
  sizeBytes: number
  sha256: string
}

/** The same, or a short text that lies in the entry itself. */
export type KeptBytes = KeptFile | KeptText

/** A short text as its entry and the request that creates its run have it, both in JSON: it is kept in that form alone. */
export class KeptText {
  readonly quoted: Uint8Array
  readonly sizeBytes: number
  readonly sha256: string

  constructor(bytes: Uint8Array) {
    this.quoted = quoteText(bytes)
    this.sizeBytes = bytes.byteLength
    this.sha256 = digestBytes(bytes)
  }

  get bytes(): Uint8Array {
    return unquoteText(this.quoted)
  }
}

/** A longer text is kept in a file, in bytes: what lies in entries is in memory until it is delivered. */
const SHORT_TEXT_BYTES = 32 * 1024

export function fitsInEntry(sizeBytes: number): boolean {
  return sizeBytes <= SHORT_TEXT_BYTES
}

/** A text of core's own making that its entry can hold; undefined for a longer one. */
export function keepInEntry(bytes: Uint8Array): KeptBytes | undefined {
  return fitsInEntry(bytes.byteLength) ? new KeptText(bytes) : undefined
}

/**
 * Keeps a file's bytes, whatever becomes of the file: its blocks are shared where the file system can do that, else
 * copied. Never a hard link: tests and frameworks rewrite files in place (a screenshot under a fixed name, Vitest's
 * attachments folder), and a link's bytes would change with them.
 */
export async function keepFile(from: string, to: string, mask?: FileMask): Promise<KeptFile> {
  const masked = await mask?.copy(to)
  if (masked !== undefined) return { path: to, ...masked }
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  await makePrivate(to)
  return { path: to, ...(await digestFile(to)) }
}

/** Keeps bytes before it returns, unread; a file's own are those given with it, if any. A crash of the machine may lose them. */
export function keepAtOnce(
  source: { path: string; bytes?: Uint8Array | undefined } | { bytes: Uint8Array },
  to: string,
): void {
  const { bytes } = source
  if (bytes !== undefined) return writeFileSync(to, bytes, { mode: FILE_MODE })
  if (!('path' in source)) return
  copyFileSync(source.path, to, constants.COPYFILE_FICLONE)
  chmodSync(to, FILE_MODE)
}

/** Keeps bytes of memory. */
export async function keepMemory(bytes: Uint8Array, to: string): Promise<KeptFile> {
  await writeFile(to, bytes, { mode: FILE_MODE })
  return { path: to, sizeBytes: bytes.byteLength, sha256: digestBytes(bytes) }
}

export function digestBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Length and SHA-256 of a file, read in pieces. */
export async function digestFile(file: string): Promise<{ sizeBytes: number; sha256: string }> {
  const handle = await open(file, 'r')
  try {
    return await digest(handle)
  } finally {
    await handle.close()
  }
}

/** Used again and again, as many as files are read at once: thousands of files would leave hundreds of megabytes of them. */
const spareBuffers: Buffer[] = []

async function digest(handle: FileHandle): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash('sha256')
  const buffer = spareBuffers.pop() ?? Buffer.allocUnsafe(READ_BYTES)
  try {
    let sizeBytes = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, sizeBytes)
      if (bytesRead === 0) return { sizeBytes, sha256: hash.digest('hex') }
      hash.update(buffer.subarray(0, bytesRead))
      sizeBytes += bytesRead
    }
  } finally {
    spareBuffers.push(buffer)
  }
}
