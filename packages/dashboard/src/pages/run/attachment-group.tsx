import { deriveKind, isTrace, isWebPage, type PlacedAttachment } from '@runledger/presentation'
import { AttachmentRow } from './attachment-row'
import { AttachmentText } from './attachment-text'
import { MediaPlayer } from './media-player'
import { PictureComparison } from './picture-comparison'
import { groupPictures } from './picture-groups'
import { Pictures } from './pictures'
import { TraceRow } from './trace-row'
import { WebPageRow } from './web-page-row'

interface AttachmentGroupProps {
  attachments: PlacedAttachment[]
  /** Whether videos may be fetched far enough to show their first picture. */
  preload?: boolean
  /** The text that is open from the start. */
  openId?: string | undefined
  /** Where links to that text lead. */
  openAnchor?: string | undefined
}

/** Attachments that belong together: pictures first, then what can be played, read, and only downloaded. */
export function AttachmentGroup({ attachments, preload = false, openId, openAnchor }: AttachmentGroupProps) {
  const ofKind = (...kinds: string[]) =>
    attachments.filter(({ attachment }) => kinds.includes(deriveKind(attachment)))
  const { compared, others } = groupPictures(ofKind('picture'))
  return (
    <div className="flex flex-col gap-3">
      {compared.map((pictures) => (
        <PictureComparison key={pictures.name} {...pictures} />
      ))}
      {others.length > 0 && <Pictures pictures={others} />}
      {ofKind('video', 'audio').map((placed) => (
        <MediaPlayer key={placed.attachment.id} {...placed} preload={preload} />
      ))}
      {ofKind('text').map((placed) => (
        <AttachmentText
          key={placed.attachment.id}
          {...placed}
          isOpenAtFirst={placed.attachment.id === openId}
          anchor={placed.attachment.id === openId ? openAnchor : undefined}
        />
      ))}
      {ofKind('other').map((placed) => {
        const Row = findRow(placed)
        return <Row key={placed.attachment.id} {...placed} />
      })}
    </div>
  )
}

function findRow({ attachment }: PlacedAttachment) {
  if (isTrace(attachment)) return TraceRow
  return isWebPage(attachment) ? WebPageRow : AttachmentRow
}
