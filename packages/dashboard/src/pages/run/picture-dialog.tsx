import type { PlacedAttachment } from '@runledger/presentation'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { KeyboardEvent } from 'react'
import { Button } from '../../ui/button'
import { CloseButton } from '../../ui/modal'
import { DownloadLink, addressOf, describeAttachment } from './attachment-row'

interface PictureDialogProps {
  pictures: PlacedAttachment[]
  /** The place of the picture that is shown; undefined while the dialog is closed. */
  shown: number | undefined
  onShow: (shown: number | undefined) => void
  /** Puts the focus back where it makes sense. */
  onClosed: () => void
}

/** One picture as large as the window allows. Escape closes it, the arrow keys go to its neighbours. */
export function PictureDialog({ pictures, shown, onShow, onClosed }: PictureDialogProps) {
  const picture = shown === undefined ? undefined : pictures[shown]
  const move = (by: number) => {
    if (shown !== undefined) onShow((shown + by + pictures.length) % pictures.length)
  }
  const moveByKey = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') move(-1)
    if (key === 'ArrowRight') move(1)
  }
  return (
    <Dialog.Root open={picture !== undefined} onOpenChange={(isOpen) => !isOpen && onShow(undefined)}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-20 bg-[rgb(0_0_0/0.75)]" />
        {picture && (
          <Dialog.Content
            aria-describedby={undefined}
            onKeyDown={moveByKey}
            onCloseAutoFocus={onClosed}
            className="fixed inset-2 z-30 flex flex-col rounded-lg border border-line bg-surface outline-none sm:inset-6"
          >
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2">
              <Dialog.Title className="min-w-0 grow font-semibold wrap-anywhere">
                {picture.fileName}
              </Dialog.Title>
              <span className="text-sm text-soft">{describeAttachment(picture.attachment)}</span>
              <DownloadLink {...picture} />
              <CloseButton />
            </div>
            <div className="flex min-h-0 grow items-center justify-center bg-sunken p-2">
              <img
                src={addressOf(picture.attachment)}
                alt={picture.fileName}
                className="max-h-full max-w-full object-contain"
              />
            </div>
            {pictures.length > 1 && <Neighbours at={shown ?? 0} count={pictures.length} onMove={move} />}
          </Dialog.Content>
        )}
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Neighbours({ at, count, onMove }: { at: number; count: number; onMove: (by: number) => void }) {
  return (
    <div className="flex items-center justify-center gap-4 border-t border-line px-4 py-2">
      <Button onClick={() => onMove(-1)}>
        <ChevronLeft aria-hidden className="size-4" />
        Previous
      </Button>
      <span className="numeric text-sm text-soft" aria-live="polite">
        {at + 1} of {count}
      </span>
      <Button onClick={() => onMove(1)}>
        Next
        <ChevronRight aria-hidden className="size-4" />
      </Button>
    </div>
  )
}
