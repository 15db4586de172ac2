import { dropBidiControls } from '@runledger/presentation'

/** A word of a command, as a shell takes it whatever is in it; one that begins with `-` is no option. */
export function quoteForShell(word: string): string {
  const shown = dropBidiControls(word).replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, '')
  const argument = shown.startsWith('-') ? `./${shown}` : shown
  return /^[\w./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`
}
