import type { PlacedAttachment } from '@runledger/presentation'
import { AttachmentRow } from './attachment-row'
import { OpenLink, useOpening } from './open-attachment'

/** A page (HTML, SVG): it opens on the origin of files, in a sandbox. */
export function WebPageRow(placed: PlacedAttachment) {
  const { url, problem } = useOpening(placed, false)
  if (placed.attachment.download_url === null) return <AttachmentRow {...placed} />
  return (
    <div className="flex flex-col gap-1">
      <AttachmentRow
        {...placed}
        action={url && <OpenLink url={url} word="Open" fileName={placed.fileName} />}
      />
      {problem !== undefined && <p className="text-sm text-soft">{problem}</p>}
    </div>
  )
}
