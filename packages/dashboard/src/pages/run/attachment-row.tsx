import type { RunAttachment } from '@runledger/protocol'
import { dropBidiControls, formatBytes, type PlacedAttachment } from '@runledger/presentation'
import { Download, File } from 'lucide-react'
import type { ReactNode } from 'react'
import { attachmentLink } from '../../links'

/** Type and size of an attachment, as far as they are known. */
export function describeAttachment({ content_type: type, size }: RunAttachment): string {
  return [type?.split(';')[0], size === null ? undefined : formatBytes(size)]
    .filter((part) => part !== undefined)
    .join(', ')
}

/** The address of an attachment's bytes on this origin; undefined when there are none. */
export function addressOf({ download_url: url }: RunAttachment): string | undefined {
  return url === null ? undefined : attachmentLink(url)
}

export function DownloadLink({ attachment, fileName }: PlacedAttachment) {
  const address = addressOf(attachment)
  if (address === undefined) return <span className="text-sm text-soft">not stored</span>
  return (
    <a
      href={address}
      download={dropBidiControls(fileName)}
      aria-label={`Download ${fileName}`}
      className="inline-flex items-center gap-1 text-sm whitespace-nowrap"
    >
      <Download aria-hidden className="size-4" />
      <span className="max-sm:sr-only">Download</span>
    </a>
  )
}

interface AttachmentRowProps extends PlacedAttachment {
  /** What can be done with it besides. */
  action?: ReactNode
}

/** An attachment that the page itself does not show. */
export function AttachmentRow({ attachment, fileName, action }: AttachmentRowProps) {
  return (
    <div className="flex items-center gap-2 rounded-md border border-line px-3 py-2">
      <File aria-hidden className="size-4 shrink-0 text-soft" />
      <span className="min-w-0 grow wrap-anywhere">
        {fileName}{' '}
        <span className="text-sm text-soft sm:whitespace-nowrap">{describeAttachment(attachment)}</span>
      </span>
      {action}
      <DownloadLink attachment={attachment} fileName={fileName} />
    </div>
  )
}
