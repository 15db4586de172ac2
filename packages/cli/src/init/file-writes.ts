import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DATA_FOLDER } from '@runledger/protocol'
import * as z from 'zod'
import { CommandError } from '../command-error'

/** A file to write; undefined before it is there. */
export interface FileWrite {
  file: string
  before: Buffer | undefined
  after: Buffer
  /** Only its user may read it. */
  isPrivate?: boolean
}

/** What `init --undo` reads: the earlier contents, and a hash that shows later edits. */
const RecordSchema = z.object({
  version: z.literal(1),
  files: z.array(
    z.object({
      /** Relative to the project. */
      file: z.string(),
      /** In base64; null where there was no such file. */
      before: z.string().nullable(),
      after_sha256: z.string(),
    }),
  ),
  installs: z.array(z.object({ dir: z.string(), packages: z.array(z.string()) })),
  /** `.runledger` was not there before. */
  made_folder: z.boolean(),
})
export type InitRecord = z.output<typeof RecordSchema>

const RECORD_FILE = 'init.json'
const GITIGNORE = '.gitignore'

export function recordFileOf(root: string): string {
  return path.join(root, DATA_FOLDER, RECORD_FILE)
}

/** @throws CommandError for a file that holds something else */
export function readRecord(root: string): InitRecord | undefined {
  const file = recordFileOf(root)
  if (!existsSync(file)) return undefined
  try {
    return RecordSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    throw new CommandError(
      `${file} cannot be read: undo the changes by hand, with git for one, and delete it`,
    )
  }
}

/** Writes down how to undo the changes, together with those of earlier calls, before they are made. */
export async function keepRecord(
  root: string,
  changes: { writes: readonly FileWrite[]; installs: InitRecord['installs'] },
): Promise<void> {
  const earlier = readRecord(root)
  const made = await makeStateFolder(root)
  const files = changes.writes.map(({ file, before, after }) => {
    const name = path.relative(root, file)
    const known = earlier?.files.find((each) => each.file === name)
    // If the file is as the last call left it, the record keeps its state before that call.
    const isUntouched = known !== undefined && before !== undefined && known.after_sha256 === sha256Of(before)
    const first = before === undefined ? null : before.toString('base64')
    return { file: name, before: isUntouched ? known.before : first, after_sha256: sha256Of(after) }
  })
  const names = files.map(({ file }) => file)
  const record: InitRecord = {
    version: 1,
    files: [...(earlier?.files ?? []).filter(({ file }) => !names.includes(file)), ...files],
    installs: [...(earlier?.installs ?? []), ...changes.installs],
    made_folder: earlier?.made_folder ?? made,
  }
  await writeWhole({
    file: recordFileOf(root),
    after: Buffer.from(`${JSON.stringify(record)}\n`),
    isPrivate: true,
  })
}

/** Makes `.runledger`, which git ignores by a file in it. Returns whether it was not there before. */
async function makeStateFolder(root: string): Promise<boolean> {
  const folder = path.join(root, DATA_FOLDER)
  const made = await mkdir(folder, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
  const ignore = path.join(folder, GITIGNORE)
  if (!existsSync(ignore)) await writeFile(ignore, '*\n', { flag: 'wx' })
  return made
}

/** Puts the whole file there at once, with the mode that it has. */
export async function writeWhole({
  file: given,
  after,
  isPrivate,
}: Omit<FileWrite, 'before'>): Promise<void> {
  // A link stays one.
  const file = await realpath(given).catch(() => given)
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => (isPrivate ? 0o600 : 0o666),
  )
  const temporary = `${file}.${process.pid}.tmp`
  try {
    await writeFile(temporary, after, { mode, flag: 'wx' })
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Files that somebody has edited since, relative to the project: undoing would lose those changes. */
export function listEdited(root: string, { files }: InitRecord): string[] {
  return files
    .filter(({ file, before, after_sha256 }) => {
      const now = readIfThere(path.join(root, file))
      const isUndone = (now?.toString('base64') ?? null) === before
      return !isUndone && (now === undefined || sha256Of(now) !== after_sha256)
    })
    .map(({ file }) => file)
}

export async function restoreFiles(root: string, record: InitRecord): Promise<void> {
  for (const { file, before } of record.files) {
    const bytes = before === null ? undefined : Buffer.from(before, 'base64')
    await putBack({ file: path.join(root, file), before: bytes })
  }
  await rm(recordFileOf(root))
  if (record.made_folder) await removeStateFolder(path.join(root, DATA_FOLDER))
}

/** Makes a file what it was, if it is not. */
export async function putBack({ file, before }: Pick<FileWrite, 'file' | 'before'>): Promise<void> {
  if (before === undefined) await rm(file, { force: true })
  else if (!readIfThere(file)?.equals(before)) await writeWhole({ file, after: before })
}

/** A service may have put its data there meanwhile. */
async function removeStateFolder(folder: string): Promise<void> {
  if ((await readdir(folder)).some((name) => name !== GITIGNORE)) return
  await rm(path.join(folder, GITIGNORE), { force: true })
  await rmdir(folder)
}

export function readIfThere(file: string): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
