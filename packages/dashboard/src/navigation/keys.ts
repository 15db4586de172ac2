import { createContext, useContext, useEffect } from 'react'

/** What each key does, by the key. */
export type KeyCommands = Readonly<Record<string, () => void>>

/** Listens for keys while nothing is typed into and no dialog is open. */
export function useKeyCommands(commands: KeyCommands): void {
  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event.target) || document.querySelector('[role="dialog"]')) return
      const command = commands[event.key]
      if (command === undefined) return
      event.preventDefault()
      command()
    }
    document.addEventListener('keydown', follow)
    return () => document.removeEventListener('keydown', follow)
  }, [commands])
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
}

export const KeyHelpContext = createContext<() => void>(() => undefined)
export const useKeyHelp = () => useContext(KeyHelpContext)

/** Marks the link that stands for its row: `j` and `k` go from one to the next, Enter follows it. */
export const ROW_LINK = { 'data-row-link': '' } as const

const LIST_KEYS: KeyCommands = {
  j: () => moveToRow(1),
  k: () => moveToRow(-1),
  '/': () => document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus(),
}

/** Lets keys go through the rows of the page's lists, and to its search. */
export function useListKeys(): void {
  useKeyCommands(LIST_KEYS)
}

function moveToRow(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('main [data-row-link]')]
  const at = links.findIndex((link) => link === document.activeElement)
  const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1)
  links[next]?.focus()
  links[next]?.scrollIntoView({ block: 'nearest' })
}
