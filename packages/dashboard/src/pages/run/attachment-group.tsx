import { deriveKind } from './attachment-kind'
import { AttachmentRow } from './attachment-row'
import { AttachmentText } from './attachment-text'
import { MediaPlayer } from './media-player'
import { Pictures } from './pictures'
import type { PlacedAttachment } from './step-attachments'

interface AttachmentGroupProps {
  title: string | undefined
  attachments: PlacedAttachment[]
  /** Whether videos may be fetched far enough to show their first picture. */
  preload?: boolean
  /** The text that is open from the start. */
  openId?: string | undefined
}

/** Attachments that belong together: pictures first, then what can be played, read, and only downloaded. */
export function AttachmentGroup({ title, attachments, preload = false, openId }: AttachmentGroupProps) {
  const ofKind = (...kinds: string[]) =>
    attachments.filter(({ attachment }) => kinds.includes(deriveKind(attachment)))
  const pictures = ofKind('picture')
  return (
    <div className="flex flex-col gap-2">
      {title !== undefined && <h3 className="text-sm font-semibold">{title}</h3>}
      {pictures.length > 0 && <Pictures pictures={pictures} />}
      {ofKind('video', 'audio').map((placed) => (
        <MediaPlayer key={placed.attachment.id} {...placed} preload={preload} />
      ))}
      {ofKind('text').map((placed) => (
        <AttachmentText
          key={placed.attachment.id}
          {...placed}
          isOpenAtFirst={placed.attachment.id === openId}
        />
      ))}
      {ofKind('other').map((placed) => (
        <AttachmentRow key={placed.attachment.id} {...placed} />
      ))}
    </div>
  )
}
