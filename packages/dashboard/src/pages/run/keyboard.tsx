import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useEffect } from 'react'
import { Button } from '../../ui/button'

/** What each key does. */
export interface KeyCommands {
  j: () => void
  k: () => void
  '/': () => void
  '?': () => void
}

/** Listens for keys while nothing is typed into and no dialog is open. */
export function useKeyCommands(commands: KeyCommands): void {
  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in commands)) return
      if (isTyping(event.target) || document.querySelector('[role="dialog"]')) return
      event.preventDefault()
      commands[event.key as keyof KeyCommands]()
    }
    document.addEventListener('keydown', follow)
    return () => document.removeEventListener('keydown', follow)
  }, [commands])
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
}

const KEYS: [string, string][] = [
  ['j', 'next failure'],
  ['k', 'previous failure'],
  ['/', 'find in names and errors'],
  ['Esc', 'in a search: clear it'],
  ['Enter', 'in the search of a text: next line found; with Shift the one before'],
  ['?', 'this list'],
]

/** The list of keys. */
export function KeyHelp({ isOpen, onOpen }: { isOpen: boolean; onOpen: (isOpen: boolean) => void }) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-20 bg-[rgb(0_0_0/0.5)]" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-1/2 left-1/2 z-30 w-96 max-w-[calc(100vw-2rem)] -translate-1/2 rounded-lg border border-line bg-surface p-4 outline-none"
        >
          <div className="mb-2 flex items-center justify-between">
            <Dialog.Title className="font-semibold">Keyboard</Dialog.Title>
            <Dialog.Close asChild>
              <Button look="bare" aria-label="Close">
                <X aria-hidden className="size-5" />
              </Button>
            </Dialog.Close>
          </div>
          <dl className="grid grid-cols-[4rem_minmax(0,1fr)] items-baseline gap-x-3 gap-y-2">
            {KEYS.map(([key, what]) => (
              <div key={key} className="contents">
                <dt className="text-right">
                  <kbd className="rounded border border-line bg-sunken px-1.5 font-mono text-sm">{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
