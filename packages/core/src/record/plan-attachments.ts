import { type AttachmentPlace, formatAttachmentName } from '@runledger/protocol'
import { deriveMediaType, formatFileName } from '../model/attachment-file'
import { type Attachment, hasRun, type Suite } from '../model/suite'
import type { PlannedStep } from './list-steps'
import { UniqueNames } from './step-name'

/** The length of each attachment, or why it cannot be sent. */
export type Inspections = ReadonlyMap<Attachment, { sizeBytes: number } | { refusal: string }>

interface LogFile {
  fileName: string
  text: string
}

export interface PlannedAttachment {
  /** `<step name>/[attempt-N/]<file name>`, or `<file name>` for one of the whole suite. */
  name: string
  contentType: string
  content: Attachment | string
}

/** The log and all attachments that can be sent; the log names the refused ones. */
export function planAttachments(
  {
    suites,
    steps,
    log,
  }: { suites: readonly Suite[]; steps: readonly PlannedStep[]; log: LogFile | undefined },
  inspections: Inspections,
): PlannedAttachment[] {
  const names = new UniqueNames()
  const takeName = (place: AttachmentPlace): string =>
    names.take(formatAttachmentName(place), markBeforeExtension)
  const planEach = (
    attachments: readonly Attachment[],
    place: Omit<AttachmentPlace, 'fileName'>,
  ): PlannedAttachment[] =>
    attachments.flatMap((content) => {
      const inspection = inspections.get(content)
      if (inspection === undefined || 'refusal' in inspection) return []
      const fileName = formatFileName(content)
      const contentType = deriveMediaType(content, fileName)
      return [{ name: takeName({ ...place, fileName }), contentType, content }]
    })
  const ofLog = log && { name: takeName(log), contentType: 'text/plain; charset=utf-8', content: log.text }
  const ofSteps = steps.flatMap(({ name: stepName, test: { attempts } = { attempts: [] } }) =>
    attempts.flatMap(({ attachments }, index) =>
      planEach(attachments, { stepName, attempt: attempts.length > 1 ? index + 1 : undefined }),
    ),
  )
  // Files of suites, and of tests without a step: interrupted, or skipped after they began.
  const ofSuites = suites.flatMap((suite) => {
    const unplaced = suite.tests.filter((test) => !hasRun(test.outcome)).flatMap((test) => test.attempts)
    return [suite, ...unplaced].flatMap(({ attachments }) => planEach(attachments, {}))
  })
  return [...(ofLog ? [ofLog] : []), ...ofSteps, ...ofSuites]
}

/** `shot.png` and ` (2)` make `shot (2).png`. */
function markBeforeExtension(name: string, mark: string): string {
  const dot = name.lastIndexOf('.')
  return dot > name.lastIndexOf('/') + 1 ? name.slice(0, dot) + mark + name.slice(dot) : name + mark
}
