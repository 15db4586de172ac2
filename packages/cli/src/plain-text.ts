import { toPlainLine } from '@runledger/core/tools'

/** A text of somebody else's with its lines and their indentation kept, each as plain as `toPlainLine` makes it. */
export function toPlainText(text: string): string {
  return text
    .split('\n')
    .map((line) => `${/^[ \t]*/.exec(line)?.[0]}${toPlainLine(line)}`.trimEnd())
    .join('\n')
}
