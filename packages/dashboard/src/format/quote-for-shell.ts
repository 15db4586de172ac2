import { dropBidiControls } from '@runledger/presentation'

/** Quotes a word of a command for a shell; a word that begins with `-` does not become an option. */
export function quoteForShell(word: string): string {
  const shown = dropBidiControls(word).replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, '')
  const argument = shown.startsWith('-') ? `./${shown}` : shown
  return /^[\w./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`
}
