import type { PlacedAttachment } from '@runledger/protocol/reading'
import { useRef, useState } from 'react'
import { AttachmentRow, addressOf, describeAttachment } from './attachment-row'
import { PictureDialog } from './picture-dialog'

interface PicturesProps {
  pictures: PlacedAttachment[]
  /** Whether they share the whole width. */
  areLarge?: boolean
}

/** Pictures as thumbnails; each opens larger, with the others one key away. */
export function Pictures({ pictures, areLarge = false }: PicturesProps) {
  const [shown, setShown] = useState<number>()
  const list = useRef<HTMLUListElement>(null)
  const lastShown = useRef(0)
  const show = (index: number | undefined) => {
    if (index !== undefined) lastShown.current = index
    setShown(index)
  }
  const focusLastShown = () => list.current?.children[lastShown.current]?.querySelector('button')?.focus()
  return (
    <>
      <ul
        ref={list}
        className={areLarge ? 'grid gap-3 sm:grid-cols-2 lg:grid-cols-3' : 'flex flex-wrap gap-3'}
      >
        {pictures.map((picture, index) => (
          <li key={picture.attachment.id} className="max-w-full">
            <Thumbnail {...picture} isLarge={areLarge} onOpen={() => show(index)} />
          </li>
        ))}
      </ul>
      <PictureDialog pictures={pictures} shown={shown} onShow={show} onClosed={focusLastShown} />
    </>
  )
}

interface ThumbnailProps extends PlacedAttachment {
  isLarge: boolean
  onOpen: () => void
}

function Thumbnail({ attachment, fileName, isLarge, onOpen }: ThumbnailProps) {
  const [isBroken, setIsBroken] = useState(false)
  const address = addressOf(attachment)
  if (address === undefined || isBroken) return <AttachmentRow attachment={attachment} fileName={fileName} />
  return (
    <figure className={isLarge ? 'w-full' : 'w-56 max-w-full'}>
      <button
        type="button"
        onClick={onOpen}
        aria-label={`Enlarge ${fileName}`}
        className={`flex ${isLarge ? 'h-56' : 'h-36'} w-full items-center justify-center overflow-hidden rounded-md border border-line bg-sunken hover:border-accent`}
      >
        <img
          src={address}
          alt={fileName}
          loading="lazy"
          decoding="async"
          onError={() => setIsBroken(true)}
          className="max-h-full max-w-full object-contain"
        />
      </button>
      <figcaption className="mt-1 text-sm wrap-anywhere">
        {fileName} <span className="whitespace-nowrap text-soft">{describeAttachment(attachment)}</span>
      </figcaption>
    </figure>
  )
}
