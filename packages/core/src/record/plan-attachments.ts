import { formatAttachmentName, type AttachmentPlace } from '@runledger/protocol'
import type { PlannedStep } from './list-steps'
import { hasRun } from './run-source'
import { UniqueNames } from './step-name'
import type { KeptBytes } from '../spool/keep-bytes'
import type { Attachment, Suite } from '../model/suite'
import { deriveMediaType, formatFileName } from './file-name'
import type { Inspections } from './inspect-attachments'

/** An attachment as it will be sent: under a name that is unique in its run. */
export interface PlannedAttachment {
  /** `<step name>/[attempt-N/]<file name>`, or `<file name>` for one of the whole suite. */
  name: string
  contentType: string
  sizeBytes: number
  source: { path: string } | { bytes: Uint8Array }
  /** The spool's copy of the bytes, which the source then is. */
  kept?: KeptBytes | undefined
  /** What a suite has; absent for bytes that core itself made. */
  of?: Attachment | undefined
}

/** Names every attachment of a run that can be sent; what was refused is left to the log. */
export class AttachmentPlan {
  readonly attachments: PlannedAttachment[] = []
  readonly #names = new UniqueNames()

  constructor(private readonly inspections: Inspections) {}

  addSteps(steps: readonly PlannedStep[]): void {
    if (this.inspections.size === 0) return
    for (const step of steps) {
      const attempts = step.test?.attempts ?? []
      if (attempts.every(({ attachments }) => attachments.length === 0)) continue
      attempts.forEach((attempt, index) => {
        const place = { stepName: step.name, attempt: attempts.length > 1 ? index + 1 : undefined }
        for (const attachment of attempt.attachments) this.#add(attachment, place)
      })
    }
  }

  /** Files of the suites as a whole, and of tests that are no steps: cut off or skipped after they began. */
  addSuites(suites: readonly Suite[]): void {
    if (this.inspections.size === 0) return
    for (const suite of suites) {
      const unplaced = suite.tests.filter((test) => !hasRun(test.outcome)).flatMap((test) => test.attempts)
      for (const { attachments } of [suite, ...unplaced]) {
        for (const attachment of attachments) this.#add(attachment, {})
      }
    }
  }

  /** Adds bytes that core itself made, such as the log. */
  addBytes(fileName: string, bytes: Uint8Array, contentType: string): void {
    const name = this.#takeName({ fileName })
    this.attachments.push({ name, contentType, sizeBytes: bytes.byteLength, source: { bytes } })
  }

  #add(attachment: Attachment, place: Omit<AttachmentPlace, 'fileName'>): void {
    const inspection = this.inspections.get(attachment)
    if (!inspection || 'refusal' in inspection) return
    const fileName = formatFileName(attachment)
    const { kept, bytes } = inspection
    const own = 'path' in attachment ? { path: attachment.path } : { bytes: attachment.bytes }
    this.attachments.push({
      name: this.#takeName({ ...place, fileName }),
      contentType: deriveMediaType(attachment, fileName),
      sizeBytes: inspection.sizeBytes,
      source: kept ?? (bytes === undefined ? own : { bytes }),
      kept,
      of: attachment,
    })
  }

  #takeName(place: AttachmentPlace): string {
    return this.#names.take(formatAttachmentName(place), markBeforeExtension)
  }
}

/** `shot.png` and ` (2)` make `shot (2).png`. */
function markBeforeExtension(name: string, mark: string): string {
  const dot = name.lastIndexOf('.')
  return dot > name.lastIndexOf('/') + 1 ? name.slice(0, dot) + mark + name.slice(dot) : name + mark
}
