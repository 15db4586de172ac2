import { toPlainLine } from '@runledger/core/tools'

/** A text of somebody else's with its lines kept, each as plain as `toPlainLine` makes it. */
export function toPlainText(text: string): string {
  return text.split('\n').map(toPlainLine).join('\n')
}
