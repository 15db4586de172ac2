import type { TestError } from '@runledger/protocol'
import { formatLocation, type SourceLink } from '@runledger/presentation'
import { ExternalLink } from 'lucide-react'

/** A place in the code, which leads to it where that is known. */
export function Place({
  location,
  linkSource,
}: {
  location: NonNullable<TestError['location']>
  linkSource: SourceLink
}) {
  const address = linkSource(location)
  const text = formatLocation(location)
  if (address === undefined)
    return <span className="font-mono text-[0.8125rem] wrap-anywhere text-soft">{text}</span>
  return (
    <a
      href={address}
      rel="noreferrer noopener"
      target="_blank"
      className="font-mono text-[0.8125rem] wrap-anywhere"
    >
      {text}
      <ExternalLink aria-label="(at this commit)" className="ml-1 inline size-3.5 align-[-0.125em]" />
    </a>
  )
}
