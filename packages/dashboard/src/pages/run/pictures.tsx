import type { PlacedAttachment } from '@runledger/presentation'
import { useRef, useState } from 'react'
import { AttachmentRow, addressOf, describeAttachment } from './attachment-row'
import { PictureDialog } from './picture-dialog'

interface PicturesProps {
  pictures: PlacedAttachment[]
  /** How large they are: thumbnails, several that share the width, or one that has it. */
  look?: keyof typeof LOOKS
}

const LOOKS = {
  small: { list: 'flex flex-wrap gap-3', figure: 'w-56 max-w-full', frame: 'h-36' },
  large: { list: 'grid gap-3 sm:grid-cols-2 lg:grid-cols-3', figure: 'w-full', frame: 'h-56' },
  whole: { list: 'flex flex-col', figure: 'w-full', frame: 'h-[min(28rem,70vh)]' },
}

/** Pictures as thumbnails; each opens larger, with the others one key away. */
export function Pictures({ pictures, look = 'small' }: PicturesProps) {
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
      <ul ref={list} className={LOOKS[look].list}>
        {pictures.map((picture, index) => (
          <li key={picture.attachment.id} className="max-w-full">
            <Thumbnail {...picture} look={look} onOpen={() => show(index)} />
          </li>
        ))}
      </ul>
      <PictureDialog pictures={pictures} shown={shown} onShow={show} onClosed={focusLastShown} />
    </>
  )
}

interface ThumbnailProps extends PlacedAttachment {
  look: keyof typeof LOOKS
  onOpen: () => void
}

function Thumbnail({ attachment, fileName, look, onOpen }: ThumbnailProps) {
  const [isBroken, setIsBroken] = useState(false)
  const address = addressOf(attachment)
  if (address === undefined || isBroken) return <AttachmentRow attachment={attachment} fileName={fileName} />
  return (
    <figure className={LOOKS[look].figure}>
      <button
        type="button"
        onClick={onOpen}
        aria-label={`Enlarge ${fileName}`}
        className={`flex ${LOOKS[look].frame} w-full items-center justify-center overflow-hidden rounded-md border border-line bg-sunken hover:border-accent`}
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
