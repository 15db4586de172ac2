import { formatAttachmentName, MAX_NAMED } from '@runledger/protocol'
import type { ImportedAttachment } from './imported-run'
import { type FilePath, ReadError } from './read-error'

interface EmbeddedFile {
  stepName?: string | undefined
  fileName: string
  contentType: string | undefined
  /** As base64; undefined where the bytes are not in the file. */
  data: string | undefined
}

export class AttachmentList {
  readonly attachments: ImportedAttachment[] = []
  /** Names of files without bytes in the report: their client uploads them. */
  readonly declared: string[] = []
  readonly #taken = new Set<string>()

  /** @throws ReadError for what is not base64, or for too many files */
  add({ stepName, fileName, contentType, data }: EmbeddedFile, at: FilePath): void {
    if (this.attachments.length + this.declared.length >= MAX_NAMED)
      throw new ReadError([{ path: at, message: `are more than ${MAX_NAMED} in the report together` }])
    if (data === undefined) {
      this.declared.push(formatAttachmentName({ fileName }))
      return
    }
    const bytes = decodeBase64(data, [...at, fileName, 'data'])
    const name = this.#takeName(formatAttachmentName({ stepName, fileName }))
    this.attachments.push({ name, contentType, bytes })
  }

  /** Steps may have the same name, and files with it. */
  #takeName(wanted: string): string {
    let name = wanted
    for (let count = 2; this.#taken.has(name); count += 1) name = markBeforeExtension(wanted, ` (${count})`)
    this.#taken.add(name)
    return name
  }
}

function markBeforeExtension(name: string, mark: string): string {
  const dot = name.lastIndexOf('.')
  return dot > name.lastIndexOf('/') + 1 ? name.slice(0, dot) + mark + name.slice(dot) : name + mark
}

function decodeBase64(data: string, at: FilePath): Uint8Array {
  const bytes = Buffer.from(data, 'base64')
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  // Buffer passes over what is no base64.
  if (bytes.length !== Math.floor(((data.length - padding) * 3) / 4))
    throw new ReadError([{ path: at, message: 'is not base64' }])
  return bytes
}
