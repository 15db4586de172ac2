import { useRef, useState } from 'react'
import { AttachmentRow, addressOf, describeAttachment } from './attachment-row'
import { PictureDialog } from './picture-dialog'
import type { PlacedAttachment } from './step-attachments'

/** Pictures as thumbnails; each opens larger, with the others one key away. */
export function Pictures({ pictures }: { pictures: PlacedAttachment[] }) {
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
      <ul ref={list} className="flex flex-wrap gap-3">
        {pictures.map((picture, index) => (
          <li key={picture.attachment.id} className="max-w-full">
            <Thumbnail {...picture} onOpen={() => show(index)} />
          </li>
        ))}
      </ul>
      <PictureDialog pictures={pictures} shown={shown} onShow={show} onClosed={focusLastShown} />
    </>
  )
}

function Thumbnail({ attachment, fileName, onOpen }: PlacedAttachment & { onOpen: () => void }) {
  const [isBroken, setIsBroken] = useState(false)
  const address = addressOf(attachment)
  if (address === undefined || isBroken) return <AttachmentRow attachment={attachment} fileName={fileName} />
  return (
    <figure className="w-56 max-w-full">
      <button
        type="button"
        onClick={onOpen}
        aria-label={`Enlarge ${fileName}`}
        className="flex h-36 w-full items-center justify-center overflow-hidden rounded-md border border-line bg-sunken hover:border-accent"
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
