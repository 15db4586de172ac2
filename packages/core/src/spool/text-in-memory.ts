import { readFileSync } from 'node:fs'
import type { Inspection } from '../record/inspect-attachments'
import { describeError } from '../model/errors'
import type { Redactor } from '../redact/redactor'
import type { FileAttachment } from '../model/suite'

/** A larger text is not masked in memory, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024

/** A file that goes from where it is, the spool being of no use: a text goes from memory when there is something to mask in it. */
export function inspectInMemory(
  attachment: FileAttachment,
  inspection: { sizeBytes: number },
  redactor: Redactor,
): Inspection {
  const mask = redactor.findFileMask(attachment)
  if (mask === undefined) return inspection
  if (inspection.sizeBytes > MAX_BYTES)
    return { refusal: `its ${inspection.sizeBytes} bytes are too many to look for secrets without the spool` }
  try {
    const read = readFileSync(attachment.path)
    const bytes = mask.maskBytes(read)
    return bytes === read ? inspection : { sizeBytes: bytes.byteLength, bytes }
  } catch (error) {
    return { refusal: describeError(error) }
  }
}
