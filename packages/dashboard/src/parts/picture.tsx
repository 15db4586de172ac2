import type { LinePicture } from '@runledger/protocol'
import { deriveKind } from '@runledger/presentation'
import { useState } from 'react'
import { attachmentLink } from '../links'

/** A picture in a frame of fixed size, which opens it whole; nothing for what is no picture that browsers show. */
export function Picture({ picture, className }: { picture: LinePicture; className: string }) {
  const [isBroken, setIsBroken] = useState(false)
  const address = attachmentLink(picture.download_url)
  if (address === undefined || deriveKind(picture) !== 'picture') return null
  const frame = `relative z-[1] flex shrink-0 items-center justify-center overflow-hidden rounded-md border border-line bg-sunken ${className}`
  if (isBroken)
    return <span className={`${frame} p-2 text-sm text-soft`}>{picture.name} cannot be shown</span>
  return (
    <a href={address} target="_blank" rel="noreferrer" className={frame}>
      <img
        src={address}
        alt={picture.name}
        decoding="async"
        onError={() => setIsBroken(true)}
        className="max-h-full max-w-full object-contain"
      />
    </a>
  )
}
