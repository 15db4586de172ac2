import type { Suite } from '@runledger/core'
import type { TabularMapping } from '@runledger/protocol'
import { decodeText } from '@runledger/readers'
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { CommandError } from '../command-error'
import { AttachmentFinder } from './attachments'
import { type Format, readResults, type TextFormat } from './formats'
import { ResultFileError, type Results } from './results'
import { readUploadedFile, type Upload } from './uploaded-file'

/** A larger file is refused: it is read whole before anything is sent, and takes several times its size in memory. */
export const MAX_FILE_BYTES = 128 * 1024 * 1024

export interface ReadSettings {
  format?: Format | undefined
  projectRoot: string
  /** Undefined when every report names its own. */
  procedureId: string | undefined
  /** The unit and the group that flags name: the same file with others makes other runs. */
  named: readonly (string | undefined)[]
  /** Flags that name the unit. */
  unit: { serialNumber?: string | undefined; partNumber?: string | undefined; revision?: string | undefined }
  /** How CSV files are read; then all files are CSV. */
  mapping: TabularMapping | undefined
  isLocalTime: boolean
  attachments: boolean
}

export interface ResultFile extends Results {
  /** As the user named it. */
  name: string
  /** Attachments that it names, and that are not sent, each with the reason. */
  refused: readonly string[]
  /** Set for a file that the service reads itself. */
  upload?: Upload
}

/** Reads a results file whole. The same content always makes the same submission ids. @throws CommandError naming the file */
export async function readResultFile(
  name: string,
  file: string,
  settings: ReadSettings,
): Promise<ResultFile> {
  try {
    const { size, mtimeMs, isFolder, isFile } = await inspect(file)
    if (isFolder) throw new ResultFileError('it is a folder: name the files in it')
    if (!isFile) throw new ResultFileError('it is not a regular file: write the results into one')
    if (size > MAX_FILE_BYTES)
      throw new ResultFileError(
        `its ${size} bytes are over the limit of ${MAX_FILE_BYTES} for results: split it`,
      )
    const bytes = await readFile(file)
    const hash = createHash('sha256').update(bytes).digest('hex')
    const { projectRoot, isLocalTime } = settings
    const timeZone = isLocalTime ? new Intl.DateTimeFormat().resolvedOptions().timeZone : undefined
    const uploaded = await readUploadedFile(bytes, hash, { ...settings, timeZone })
    if (uploaded) {
      refuseNamedUnit(settings, uploaded.upload)
      return { ...uploaded, name, refused: [] }
    }
    const folders = [path.dirname(file), projectRoot]
    const attachments = new AttachmentFinder(settings.attachments ? folders : [])
    const context = {
      fileName: path.basename(file),
      projectRoot,
      writtenAtMs: Math.round(mtimeMs),
      isLocalTime,
      attachments,
    }
    const results = readResults(decodeText(bytes), settings.format as TextFormat | undefined, context)
    nameSuites(results.suites, [settings.procedureId ?? '', ...settings.named.map((each = '') => each), hash])
    return { ...results, name, refused: settings.attachments ? attachments.refused : [] }
  } catch (error) {
    throw new CommandError(`${name}: ${describe(error)}`, { cause: error })
  }
}

function refuseNamedUnit({ unit }: ReadSettings, { importer }: Upload): void {
  const { serialNumber, partNumber, revision } = unit
  const mayNamePart = importer !== 'OPENHTF' && importer !== 'CSV'
  if (serialNumber === undefined && revision === undefined && (partNumber === undefined || mayNamePart))
    return
  const flags = mayNamePart
    ? '--serial-number and --revision'
    : '--serial-number, --part-number and --revision'
  throw new ResultFileError(`it names its unit itself: leave out ${flags}`)
}

async function inspect(
  file: string,
): Promise<{ size: number; mtimeMs: number; isFolder: boolean; isFile: boolean }> {
  const stats = await stat(file)
  return { size: stats.size, mtimeMs: stats.mtimeMs, isFolder: stats.isDirectory(), isFile: stats.isFile() }
}

function describe(error: unknown): string {
  if (error instanceof ResultFileError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file'
  if (error instanceof RangeError) return 'it is nested too deep to be read'
  return message
}

/** The same results under another procedure, unit or group are other runs. */
function nameSuites(suites: readonly Suite[], content: readonly string[]): void {
  for (const [index, suite] of suites.entries()) suite.submissionId = makeUuid([...content, String(index)])
}

/** A UUID made of a text (version 8). */
function makeUuid(parts: readonly string[]): string {
  const hex = createHash('sha256').update(parts.join('\u0000')).digest('hex')
  const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-')
}
