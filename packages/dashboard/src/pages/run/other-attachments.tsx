import type { RunAttachment } from '@runledger/protocol'
import { Card } from '../../ui/card'
import { AttachmentGroup } from './attachment-group'
import { SUITE_LOG_ANCHOR } from './attachment-text'

interface OtherAttachmentsProps {
  attachments: RunAttachment[]
  openId: string | undefined
}

/** What belongs to the run as a whole, the suite's log above all. */
export function OtherAttachments({ attachments, openId }: OtherAttachmentsProps) {
  const placed = attachments.map((attachment) => ({ attachment, fileName: attachment.name }))
  return (
    <Card title="Attachments of the whole run">
      <div className="p-4">
        <AttachmentGroup attachments={placed} openId={openId} openAnchor={SUITE_LOG_ANCHOR} preload />
      </div>
    </Card>
  )
}
