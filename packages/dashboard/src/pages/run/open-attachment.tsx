import type { PlacedAttachment } from '@runledger/presentation'
import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { filesOriginQuery } from '../../api/files-origin'
import { isSecureAddress, openLink } from '../../links'

/** Where an attachment opens, or why it does not. */
interface Opening {
  url: URL | undefined
  problem: string | undefined
}

/** How an attachment is opened on the origin of files; a trace needs a service worker there. */
export function useOpening({ attachment }: PlacedAttachment, needsWorker: boolean): Opening {
  const url = openLink(attachment, window.location.hostname)
  const isAllowed = url !== undefined && (!needsWorker || isSecureAddress(url))
  const { data: isReached } = useQuery({ ...filesOriginQuery(url?.origin ?? ''), enabled: isAllowed })
  if (!url)
    return { url, problem: 'This service has no origin for files: whoever runs it can set --files-origin.' }
  if (!isAllowed)
    return {
      url: undefined,
      problem: `Browsers open traces over HTTPS or on localhost only, not at ${url.origin}.`,
    }
  if (isReached === false)
    return {
      url: undefined,
      problem: `Your browser cannot reach ${url.origin}, where attachments are opened: the port may be closed or not forwarded.`,
    }
  return { url, problem: undefined }
}

interface OpenLinkProps {
  url: URL
  word: string
  fileName: string
}

/** Opens an attachment in a new tab that knows nothing of this one. */
export function OpenLink({ url, word, fileName }: OpenLinkProps) {
  return (
    <a
      href={url.href}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={`${word} ${fileName} in a new tab`}
      className="inline-flex items-center gap-1 text-sm font-medium whitespace-nowrap"
    >
      <ExternalLink aria-hidden className="size-4" />
      {word}
    </a>
  )
}
