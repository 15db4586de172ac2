import { type AttachmentPlace, formatAttachmentName } from '@runledger/protocol'
import { deriveMediaType, formatFileName } from '../model/attachment-file'
import { type Attachment, hasRun, type Suite } from '../model/suite'
import type { PlannedStep } from './list-steps'
import { UniqueNames } from './step-name'

/** What is known of an attachment before it is sent: its length, or why it cannot be sent. */
export type Inspections = ReadonlyMap<Attachment, { sizeBytes: number } | { refusal: string }>

/** An attachment as it will be sent, under a name that is unique in its run. */
export interface PlannedAttachment {
  /** `<step name>/[attempt-N/]<file name>`, or `<file name>` for one of the whole suite. */
  name: string
  contentType: string
  /** What the suite has, or a text that core made. */
  content: Attachment | string
}

/** Names every attachment of a run that can be sent; the log tells of what was refused. */
export class AttachmentPlan {
  readonly attachments: PlannedAttachment[] = []
  readonly #names = new UniqueNames()

  constructor(private readonly inspections: Inspections) {}

  addSteps(steps: readonly PlannedStep[]): void {
    for (const { name: stepName, test } of steps) {
      test?.attempts.forEach(({ attachments }, index) => {
        const attempt = test.attempts.length > 1 ? index + 1 : undefined
        for (const attachment of attachments) this.#add(attachment, { stepName, attempt })
      })
    }
  }

  /** Files of the suites as a whole, and of tests that are no steps: interrupted, or skipped after they began. */
  addSuites(suites: readonly Suite[]): void {
    for (const suite of suites) {
      const unplaced = suite.tests.filter((test) => !hasRun(test.outcome)).flatMap((test) => test.attempts)
      for (const { attachments } of [suite, ...unplaced]) {
        for (const attachment of attachments) this.#add(attachment, {})
      }
    }
  }

  /** Adds a text that core made, such as the log. */
  addText(fileName: string, text: string): void {
    const name = this.#takeName({ fileName })
    this.attachments.push({ name, contentType: 'text/plain; charset=utf-8', content: text })
  }

  #add(attachment: Attachment, place: Omit<AttachmentPlace, 'fileName'>): void {
    const inspection = this.inspections.get(attachment)
    if (inspection === undefined || 'refusal' in inspection) return
    const fileName = formatFileName(attachment)
    const name = this.#takeName({ ...place, fileName })
    this.attachments.push({ name, contentType: deriveMediaType(attachment, fileName), content: attachment })
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
