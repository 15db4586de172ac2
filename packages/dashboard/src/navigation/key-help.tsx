import { Dialog } from 'radix-ui'
import { CloseButton, Modal } from '../ui/modal'

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

export function KeyHelp({ isOpen, onOpen }: { isOpen: boolean; onOpen: (isOpen: boolean) => void }) {
  return (
    <Modal
      isOpen={isOpen}
      onOpen={onOpen}
      className="top-1/2 left-1/2 max-h-[calc(100vh-2rem)] w-96 max-w-[calc(100vw-2rem)] -translate-1/2 overflow-y-auto p-4"
    >
      <div className="flex items-center justify-between">
        <Dialog.Title className="font-semibold">Keyboard</Dialog.Title>
        <CloseButton />
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
    </Modal>
  )
}
