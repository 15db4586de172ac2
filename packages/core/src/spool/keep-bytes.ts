import { createHash, hash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { copyFile, open, rm, stat, writeFile, type FileHandle } from 'node:fs/promises'
import type { FilePace } from '../file-pace'
import { quoteText, unquoteText } from '../format-json'
import { FILE_MODE, makePrivate } from '../util/durable-write'
import type { FileMask } from '../redact/redactor'
import type { SpoolDisk } from './spool-disk'

const READ_BYTES = 1024 * 1024

/**
 * A copy shares its blocks where the file system can do that, and is a new file: one that may be written over is truncated
 * by Node, be it empty, and ext4 then writes all of it to the disk as soon as it is closed, in the way of everybody's syncs.
 */
const AS_NEW_FILE = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL

/** A larger file is left to other threads, in bytes. */
const SMALL_BYTES = 256 * 1024

/** Bytes as they lie in the spool: in a file of their own, which its entry syncs when it is time for that. */
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

/** A file that is to be kept, by other threads unless its size and its disk's pace are known. */
export interface FileToKeep {
  path: string
  mask?: FileMask | undefined
  found?: { sizeBytes: number; pace: FilePace }
  /** Not called for a small file, nor for one that had to be masked. */
  onCopied?: OnCopied | undefined
}

/** A large file's bytes as they lie in the spool, before they have all been digested. */
export interface FreshCopy {
  path: string
  sizeBytes: number
  digest: Promise<{ sha256: string }>
}

/** Told of a large file as soon as its bytes lie in the spool: digesting it takes longer than copying it. */
export type OnCopied = (copy: FreshCopy) => void

/** What was kept at once; a large file is not read for it. */
export type KeptAtOnce = KeptFile | { path: string }

/**
 * Keeps a file's bytes, whatever becomes of the file: a small one is read once, of a larger one the blocks are shared
 * where the file system can do that, else copied. Never a hard link: tests and frameworks rewrite files in place (a
 * screenshot under a fixed name, Vitest's attachments folder), and a link's bytes would change with them.
 */
export async function keepFile(file: FileToKeep, to: string, disk: SpoolDisk): Promise<KeptFile> {
  const { found } = file
  const copy = (): Promise<KeptFile> => copyWhole(file, to)
  if (found === undefined || found.sizeBytes > SMALL_BYTES || !disk.isQuick) return copy()
  return (await found.pace.do(() => keepSmallFile(file, to, disk), copy)) ?? copy()
}

async function copyWhole({ path, mask, onCopied }: FileToKeep, to: string): Promise<KeptFile> {
  const masked = await mask?.copy(to)
  if (masked !== undefined) return { path: to, ...masked }
  // Of a text that turned out to be none, or of an upload that was cut short.
  await rm(to, { force: true })
  await copyFile(path, to, AS_NEW_FILE)
  await makePrivate(to)
  const { size: sizeBytes } = await stat(to)
  const digesting = digestFile(to)
  if (sizeBytes > SMALL_BYTES) onCopied?.({ path: to, sizeBytes, digest: digesting })
  return { path: to, ...(await digesting) }
}

/** Undefined for one that has grown since it was looked at. It is read once: what is kept is what secrets were looked for in. */
function keepSmallFile({ path, mask }: FileToKeep, to: string, disk: SpoolDisk): KeptFile | undefined {
  const buffer = spareBuffers.pop() ?? Buffer.allocUnsafe(READ_BYTES)
  try {
    const sizeBytes = readStartAtOnce(path, buffer.subarray(0, SMALL_BYTES + 1))
    if (sizeBytes > SMALL_BYTES) return undefined
    const bytes = buffer.subarray(0, sizeBytes)
    return keepBytesAtOnce(mask?.maskBytes(bytes) ?? bytes, to, disk)
  } finally {
    spareBuffers.push(buffer)
  }
}

/** The spool's disk is judged by the writing alone: where a file is found, or what is masked in it, says nothing of it. */
function keepBytesAtOnce(bytes: Uint8Array, to: string, disk: SpoolDisk): KeptFile {
  disk.doAtOnce(() => writeFileSync(to, bytes, { mode: FILE_MODE }))
  return { path: to, sizeBytes: bytes.byteLength, sha256: digestBytes(bytes) }
}

/** As much of a file as there is room for, in bytes. */
function readStartAtOnce(path: string, into: Buffer): number {
  const descriptor = openSync(path, 'r')
  try {
    let sizeBytes = 0
    for (;;) {
      const bytesRead = readSync(descriptor, into, sizeBytes, into.byteLength - sizeBytes, null)
      sizeBytes += bytesRead
      if (bytesRead === 0) return sizeBytes
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Keeps bytes before it returns. A crash of the machine may lose them. */
export function keepAtOnce(
  source: { path: string; mask: FileMask | undefined; sizeBytes: number } | { bytes: Uint8Array },
  to: string,
  disk: SpoolDisk,
): KeptAtOnce {
  if ('bytes' in source) return keepBytesAtOnce(source.bytes, to, disk)
  const { path, mask, sizeBytes } = source
  const kept = sizeBytes > SMALL_BYTES ? undefined : keepSmallFile(source, to, disk)
  if (kept !== undefined) return kept
  if (mask !== undefined) return keepBytesAtOnce(mask.maskBytes(readFileSync(path)), to, disk)
  disk.doAtOnce(() => {
    rmSync(to, { force: true })
    copyFileSync(path, to, AS_NEW_FILE)
  })
  chmodSync(to, FILE_MODE)
  return { path: to }
}

/** Keeps bytes of memory. */
export async function keepMemory(bytes: Uint8Array, to: string, disk: SpoolDisk): Promise<KeptFile> {
  if (bytes.byteLength > SMALL_BYTES) await writeFile(to, bytes, { mode: FILE_MODE })
  else await disk.write(to, bytes)
  return { path: to, sizeBytes: bytes.byteLength, sha256: digestBytes(bytes) }
}

/** Throws what made the keeping fail. A full disk gets its room back: others may still write a line. */
export function throwWithoutHalf(to: string, error: unknown): never {
  try {
    rmSync(to, { force: true })
  } catch {
    // It goes with its entry.
  }
  throw error
}

export function digestBytes(bytes: Uint8Array): string {
  // At once, which takes a third of the time where it is done now and then.
  return hash('sha256', bytes)
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
  const hashing = createHash('sha256')
  const buffer = spareBuffers.pop() ?? Buffer.allocUnsafe(READ_BYTES)
  try {
    let sizeBytes = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, sizeBytes)
      if (bytesRead === 0) return { sizeBytes, sha256: hashing.digest('hex') }
      hashing.update(buffer.subarray(0, bytesRead))
      sizeBytes += bytesRead
    }
  } finally {
    spareBuffers.push(buffer)
  }
}
