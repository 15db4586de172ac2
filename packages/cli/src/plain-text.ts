import { toPlainLine } from '@runledger/core/tools'

/** Somebody else's text with its lines and indentation, each line as plain as `toPlainLine` makes it. */
export function toPlainText(text: string): string {
  return text
    .split('\n')
    .map((line) => `${/^[ \t]*/.exec(line)?.[0]}${toPlainLine(line)}`.trimEnd())
    .join('\n')
}

/** Makes a line from the record safe for a terminal and a CI: Azure and GitHub run the text after `##` as a command. */
export function toSafeLine(text: string): string {
  return splitHashes(toPlainLine(text))
}

/** The same for a text of several lines, which keep their indents. */
export function toSafeText(text: string): string {
  return splitHashes(toPlainText(text))
}

const splitHashes = (text: string) => text.replaceAll(/#(?=#)/g, '# ')
