import { tellUser } from '@runledger/core/light'

const told = new Set<string>()

/** Tells the user a line, and not again while the process lives: a watch mode runs for hours. */
export function tellOnce(message: string, print = tellUser): void {
  if (told.has(message)) return
  told.add(message)
  print(message)
}
