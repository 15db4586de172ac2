import type { CallToolResult } from '@modelcontextprotocol/server'
import { messageOf, toPlainLine } from '@runledger/core/tools'
import { OBEYED } from '@runledger/presentation'
import { cutWell } from '@runledger/protocol'

/** Most characters of an answer's text. */
export const MAX_ANSWER = 64_000
const MAX_MESSAGE = 2_000

/** An answer of bounded length. The mark that it was cut stands outside the text, where no test can forge it. */
export function answerText(markdown: string): CallToolResult {
  // Not removed: ticks on both sides of a removed character would join and end a code block.
  const text = markdown.replace(OBEYED, '\uFFFD')
  if (text.length <= MAX_ANSWER) return { content: [{ type: 'text', text }] }
  const note = `Cut after ${MAX_ANSWER} of ${text.length} characters: ask for less at once.`
  return {
    content: [
      { type: 'text', text: cutWell(text, MAX_ANSWER) },
      { type: 'text', text: note },
    ],
  }
}

/** What could not be done, and why. */
export function answerError(error: unknown): CallToolResult {
  const text = cutWell(toPlainLine(messageOf(error)), MAX_MESSAGE)
  return { content: [{ type: 'text', text }], isError: true }
}
