import { deriveKind, type PlacedAttachment } from '@runledger/presentation'
import { AttachmentRow } from './attachment-row'
import { Pictures } from './pictures'

/** What a step attached, shown at the step; its text or video is with the test's other attachments. */
export function MadeAttachment(placed: PlacedAttachment) {
  return deriveKind(placed.attachment) === 'picture' ? (
    <Pictures pictures={[placed]} />
  ) : (
    <AttachmentRow {...placed} />
  )
}
