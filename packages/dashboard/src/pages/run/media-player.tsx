import { deriveKind, type PlacedAttachment } from '@runledger/presentation'
import { addressOf, AttachmentRow, describeAttachment, DownloadLink } from './attachment-row'

export function MediaPlayer({ attachment, fileName, preload }: PlacedAttachment & { preload: boolean }) {
  const address = addressOf(attachment)
  if (address === undefined) return <AttachmentRow attachment={attachment} fileName={fileName} />
  const media = {
    src: address,
    controls: true,
    'aria-label': fileName,
    preload: preload ? 'metadata' : 'none',
  }
  return (
    <figure className="max-w-xl">
      {deriveKind(attachment) === 'video' ? (
        <video {...media} playsInline className="max-h-96 w-full rounded-md border border-line bg-sunken" />
      ) : (
        <audio {...media} className="w-full" />
      )}
      <figcaption className="mt-1 flex items-baseline justify-between gap-3 text-sm">
        <span className="min-w-0 wrap-anywhere">
          {fileName} <span className="whitespace-nowrap text-soft">{describeAttachment(attachment)}</span>
        </span>
        <DownloadLink attachment={attachment} fileName={fileName} />
      </figcaption>
    </figure>
  )
}
