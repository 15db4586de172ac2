import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './button'

interface ModalProps {
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  className: string
  children: ReactNode
}

/** A dialog over the page. Escape closes it, and a click beside it. */
export function Modal({ isOpen, onOpen, className, children }: ModalProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-20 bg-[rgb(0_0_0/0.5)]" />
        <Dialog.Content
          aria-describedby={undefined}
          className={`fixed z-30 rounded-lg border border-line bg-surface outline-none ${className}`}
        >
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Closes the dialog that it is in. */
export function CloseButton() {
  return (
    <Dialog.Close asChild>
      <Button look="bare" aria-label="Close">
        <X aria-hidden className="size-5" />
      </Button>
    </Dialog.Close>
  )
}
