import { formatBytes, type PlacedAttachment } from '@runledger/presentation'
import { useQuery } from '@tanstack/react-query'
import { FileText } from 'lucide-react'
import { useContext, useEffect, useState } from 'react'
import { MAX_TEXT_BYTES, START_BYTES, attachmentTextQuery } from '../../api/attachment-text'
import { Button } from '../../ui/button'
import { Loading } from '../../ui/loading'
import { DownloadLink, addressOf, describeAttachment } from './attachment-row'
import { TargetContext } from './hash'
import { LogView } from './log-view'

/** Where links to the log of a failed run lead. */
export const SUITE_LOG_ANCHOR = 'suite-log'

interface AttachmentTextProps extends PlacedAttachment {
  isOpenAtFirst: boolean
  anchor?: string | undefined
}

/** A log or other text, read in place when it is opened. */
export function AttachmentText({ attachment, fileName, isOpenAtFirst, anchor }: AttachmentTextProps) {
  const { log } = useContext(TargetContext)
  const line = log?.attachmentId === attachment.id ? log.line : undefined
  const [isOpen, setIsOpen] = useState(isOpenAtFirst || line !== undefined)
  useEffect(() => {
    if (line !== undefined) setIsOpen(true)
  }, [line])
  const address = addressOf(attachment)
  return (
    <div id={anchor} className="relative scroll-mt-16 rounded-md border border-line">
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="flex items-center gap-2 px-3 py-2 pr-12 hover:bg-sunken sm:pr-32">
          <FileText aria-hidden className="size-4 shrink-0 text-soft" />
          <span className="min-w-0 wrap-anywhere">
            {fileName}{' '}
            <span className="text-sm whitespace-nowrap text-soft">{describeAttachment(attachment)}</span>
          </span>
          <span className="text-sm text-accent">{isOpen ? 'Hide' : 'Read'}</span>
        </summary>
        {isOpen && address !== undefined && (
          <TextContent
            id={attachment.id}
            address={address}
            fileName={fileName}
            size={attachment.size}
            line={line}
          />
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
  line: number | undefined
}

function TextContent({ id, address, fileName, size, line }: TextContentProps) {
  // A line that the address names may be far down.
  const [bytes, setBytes] = useState(line === undefined ? START_BYTES : MAX_TEXT_BYTES)
  const read = useQuery(attachmentTextQuery(id, address, bytes))
  const canReadMore = bytes < MAX_TEXT_BYTES || read.isPlaceholderData
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
      <LogView attachmentId={id} fileName={fileName} text={read.data.text} line={line} />
      {read.data.isCut && (
        <p className="flex flex-wrap items-center gap-3 border-t border-line px-3 py-2 text-sm text-warn">
          The first {formatBytes(canReadMore ? START_BYTES : bytes)}
          {size !== null && ` of ${formatBytes(size)}`} are shown.
          {canReadMore ? (
            <Button disabled={read.isPlaceholderData} onClick={() => setBytes(MAX_TEXT_BYTES)}>
              {read.isPlaceholderData ? 'Reading…' : 'Show the rest'}
            </Button>
          ) : (
            'Download it to read the rest.'
          )}
        </p>
      )}
    </>
  )
}
