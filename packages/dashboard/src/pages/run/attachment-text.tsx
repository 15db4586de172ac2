import { useQuery } from '@tanstack/react-query'
import { FileText } from 'lucide-react'
import { useMemo, useState } from 'react'
import { MAX_TEXT_BYTES, attachmentTextQuery } from '../../api/attachment-text'
import { formatBytes } from '../../format/bytes'
import { Button } from '../../ui/button'
import { Loading } from '../../ui/loading'
import { DownloadLink, addressOf, describeAttachment } from './attachment-row'
import { toPlainText } from './plain-text'
import type { PlacedAttachment } from './step-attachments'

/** Where links to the log of a failed run lead. */
export const SUITE_LOG_ANCHOR = 'suite-log'

/** A log or other text, read in place when it is opened. */
export function AttachmentText({
  attachment,
  fileName,
  isOpenAtFirst,
}: PlacedAttachment & { isOpenAtFirst: boolean }) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst)
  const address = addressOf(attachment)
  return (
    <div
      id={isOpenAtFirst ? SUITE_LOG_ANCHOR : undefined}
      className="relative scroll-mt-4 rounded-md border border-line"
    >
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="flex items-center gap-2 px-3 py-2 pr-12 sm:pr-32 hover:bg-sunken">
          <FileText aria-hidden className="size-4 shrink-0 text-soft" />
          <span className="min-w-0 wrap-anywhere">
            {fileName}{' '}
            <span className="text-sm whitespace-nowrap text-soft">{describeAttachment(attachment)}</span>
          </span>
          <span className="text-sm text-accent">{isOpen ? 'Hide' : 'Read'}</span>
        </summary>
        {isOpen && address !== undefined && (
          <TextContent id={attachment.id} address={address} fileName={fileName} size={attachment.size} />
        )}
      </details>
      <span className="absolute top-2 right-3">
        <DownloadLink attachment={attachment} fileName={fileName} />
      </span>
    </div>
  )
}

interface TextContentProps {
  id: string
  address: string
  fileName: string
  size: number | null
}

function TextContent({ id, address, fileName, size }: TextContentProps) {
  const read = useQuery(attachmentTextQuery(id, address))
  const text = useMemo(() => (read.data ? toPlainText(read.data.text) : ''), [read.data])
  if (read.isPending) return <Loading label={`Reading ${fileName}`} rows={3} />
  if (!read.data) {
    return (
      <p role="alert" className="flex flex-wrap items-center gap-3 border-t border-line px-3 py-2 text-bad">
        It could not be read: {read.error.message}
        <Button onClick={() => void read.refetch()}>Try again</Button>
      </p>
    )
  }
  return (
    <>
      <pre
        tabIndex={0}
        role="region"
        aria-label={`Text of ${fileName}`}
        className="max-h-[32rem] overflow-auto border-t border-line bg-sunken p-3 font-mono text-[0.8125rem] leading-5 wrap-anywhere whitespace-pre-wrap"
      >
        {text === '' ? '(empty)' : text}
      </pre>
      {read.data.isCut && (
        <p className="border-t border-line px-3 py-2 text-sm text-warn">
          The first {formatBytes(MAX_TEXT_BYTES)}
          {size !== null && ` of ${formatBytes(size)}`} are shown. Download it to read the rest.
        </p>
      )}
    </>
  )
}
