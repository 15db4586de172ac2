import { readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { z } from 'zod'
import { syncFile, syncFolder } from '../blobs/blob-files'
import { BACKUP_FILE } from '../data-folder'
import { StartError } from '../errors'

const ManifestSchema = z.object({
  /** Of the layout of the folder. */
  format: z.literal(1),
  service_version: z.string(),
  /** When the data were as the backup has them, ISO 8601; null until a first backup in the folder is whole. */
  taken_at: z.string().nullable(),
})

export type Manifest = z.infer<typeof ManifestSchema>

/** The manifest of a backup; undefined when the folder has none. @throws StartError for one of another kind */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, BACKUP_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const { data } = ManifestSchema.safeParse(parse(text))
  if (data) return data
  throw new StartError(`${join(folder, BACKUP_FILE)} is not of a backup that this version can read.`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Writes the manifest, whole or not at all. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const temporary = join(folder, `${BACKUP_FILE}.new`)
  await writeFile(temporary, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 })
  await syncFile(temporary)
  await rename(temporary, join(folder, BACKUP_FILE))
  await syncFolder(folder)
}

/** @throws StartError when one of two folders is inside of the other */
export async function checkApart(first: string, second: string): Promise<void> {
  const [one, other] = await Promise.all([findRealPath(first), findRealPath(second)])
  const isInside = (from: string, to: string) => !/^\.\.(?:[\\/]|$)/.test(relative(from, to))
  if (!isInside(one, other) && !isInside(other, one)) return
  throw new StartError(`${second} and ${first} are in each other. Give a folder elsewhere.`)
}

/** Links resolved, as far as the path exists. */
async function findRealPath(path: string): Promise<string> {
  const full = resolve(path)
  const real = await realpath(full).catch(() => undefined)
  if (real !== undefined || dirname(full) === full) return real ?? full
  return join(await findRealPath(dirname(full)), relative(dirname(full), full))
}
