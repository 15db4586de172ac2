import type { ErrorDetail } from '@runledger/core'
import type { JestExecError } from './jest-types'

const FRAME = /^\s+at .*(?::\d+:\d+\)?|<anonymous>\)?|\(native\))$/

/** Splits one of Jest's failure texts into the message and the stack below it. */
export function mapError(text: string): ErrorDetail {
  const lines = text.split('\n')
  const firstFrame = lines.findIndex((line) => FRAME.test(line))
  if (firstFrame < 0) return { message: text.trim() }
  return { message: lines.slice(0, firstFrame).join('\n').trim(), stack: lines.slice(firstFrame).join('\n') }
}

/**
 * Maps an error of the file to one or more errors: jest-circus joins the stacks of several into one text. Where Jest gives
 * no stack (a load error is a plain string), the text that Jest prints takes its place.
 */
export function mapExecErrors(error: JestExecError, printed?: string | null): ErrorDetail[] {
  const { message = '', stack } = typeof error === 'string' ? { message: error } : error
  if (!stack?.trim()) return [{ message: message.trim(), ...(printed ? { stack: printed.trim() } : {}) }]
  if (message === '') return splitErrors(stack).map(mapError)
  const detail = mapError(stack)
  return [detail.message.includes(message) ? detail : { message, stack }]
}

/** A line without indentation right after stack frames begins the next error, except `[cause]` and `[errors]`. */
function splitErrors(text: string): string[] {
  const errors: string[][] = []
  let afterFrame = true
  for (const line of text.split('\n')) {
    const beginsError = afterFrame && /^[^\s[]/.test(line)
    const current = errors.at(-1)
    if (beginsError || current === undefined) errors.push([line])
    else current.push(line)
    if (line.trim() !== '') afterFrame = FRAME.test(line)
  }
  return errors.map((lines) => lines.join('\n'))
}
