import type { constants, copyFileSync, writeFileSync } from 'node:fs'
import type { extname, join } from 'node:path'
import { getBuiltIn } from './built-in'
import type { GivenAttachment } from './place'

interface FileSystem {
  constants: typeof constants
  copyFileSync: typeof copyFileSync
  writeFileSync: typeof writeFileSync
}
interface Paths {
  extname: typeof extname
  join: typeof join
}

// Made when first needed: most test files attach nothing.
let instance: string | undefined
let count = 0

/** Copies an attachment's bytes into a folder, sharing blocks where the file system can; answers the new file's name. */
export function keepFile(
  folder: string,
  { source }: GivenAttachment,
): { file: string } | { refusal: string } {
  const fs = getBuiltIn<FileSystem>('node:fs')
  const path = getBuiltIn<Paths>('node:path')
  if (fs === undefined || path === undefined) return { refusal: 'there is no file system here' }
  const extension = 'path' in source ? path.extname(source.path).replaceAll(/[^.\w-]/g, '') : ''
  instance ??= uniqueText()
  count += 1
  const file = `${instance}-${count}${extension}`
  try {
    const kept = path.join(folder, file)
    if ('path' in source) fs.copyFileSync(source.path, kept, fs.constants.COPYFILE_FICLONE)
    else fs.writeFileSync(kept, source.bytes, { mode: 0o600, flag: 'wx' })
    return { file }
  } catch (error) {
    return { refusal: String(error) }
  }
}

/** Unlike any other's: this code may be loaded several times in one process, and in several threads of it. */
export function uniqueText(): string {
  const process = getBuiltIn<NodeJS.Process>('node:process')
  const time = process?.hrtime.bigint().toString(36) ?? ''
  const crypto = getBuiltIn<{ randomBytes: (size: number) => { toString: (encoding: string) => string } }>(
    'node:crypto',
  )
  return `${process?.pid ?? 0}-${time}${crypto?.randomBytes(4).toString('hex') ?? ''}`
}
