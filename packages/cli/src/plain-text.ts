import { toPlainLine } from '@runledger/core/tools'

/** Somebody else's text with its lines and indentation, each line as plain as `toPlainLine` makes it. */
export function toPlainText(text: string): string {
  return text
    .split('\n')
    .map((line) => `${/^[ \t]*/.exec(line)?.[0]}${toPlainLine(line)}`.trimEnd())
    .join('\n')
}

/** One line of somebody else's text that does nothing to a terminal or a CI: Azure and GitHub obey what follows `##`. */
export function toSafeLine(text: string): string {
  return toPlainLine(text).replaceAll(/#(?=#)/g, '# ')
}
