import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { Button } from '../ui/button'

const KEYS: [place: string, keys: [key: string, what: string][]][] = [
  [
    'Everywhere',
    [
      ['Ctrl K', 'search everything (⌘ K on a Mac)'],
      ['?', 'this list'],
      ['Esc', 'close a dialog; in a search: clear it'],
    ],
  ],
  [
    'In a list',
    [
      ['j', 'next row'],
      ['k', 'previous row'],
      ['Enter', 'open the row'],
      ['/', 'search in the list'],
    ],
  ],
  [
    'On a run',
    [
      ['j', 'next failure'],
      ['k', 'previous failure'],
      ['/', 'find in names and errors'],
      ['Enter', 'in the search of a text: next line found; with Shift the one before'],
    ],
  ],
]

/** The list of keys. */
export function KeyHelp({ isOpen, onOpen }: { isOpen: boolean; onOpen: (isOpen: boolean) => void }) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-20 bg-[rgb(0_0_0/0.5)]" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-1/2 left-1/2 z-30 max-h-[calc(100vh-2rem)] w-96 max-w-[calc(100vw-2rem)] -translate-1/2 overflow-y-auto rounded-lg border border-line bg-surface p-4 outline-none"
        >
          <div className="flex items-center justify-between">
            <Dialog.Title className="font-semibold">Keyboard</Dialog.Title>
            <Dialog.Close asChild>
              <Button look="bare" aria-label="Close">
                <X aria-hidden className="size-5" />
              </Button>
            </Dialog.Close>
          </div>
          {KEYS.map(([place, keys]) => (
            <section key={place} className="mt-3">
              <h3 className="mb-1 text-sm text-soft">{place}</h3>
              <dl className="grid grid-cols-[4rem_minmax(0,1fr)] items-baseline gap-x-3 gap-y-2">
                {keys.map(([key, what]) => (
                  <div key={key} className="contents">
                    <dt className="text-right">
                      <kbd className="rounded border border-line bg-sunken px-1.5 font-mono text-sm whitespace-nowrap">
                        {key}
                      </kbd>
                    </dt>
                    <dd>{what}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
