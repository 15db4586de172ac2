import type { ErrorDetail } from '@runledger/core'
import { readFields, readText } from '@runledger/reporter-kit'
import type { TestError } from '@playwright/test/reporter'

/** Maps an error with its source snippet, stack and causes; of any other thrown value, its text is the message. */
export function mapError(error: TestError | string): ErrorDetail {
  if (typeof error === 'string') return { message: error }
  const { message: ownMessage, value, snippet, stack: ownStack, cause } = readFields(error)
  const message = readText(ownMessage) ?? readText(value) ?? 'Unknown error'
  const stack = [readText(snippet), cutMessage(readText(ownStack), message), ...formatCauses(cause)]
    .filter((part): part is string => part !== undefined && part.trim() !== '')
    .join('\n\n')
  return stack === '' ? { message } : { message, stack }
}

function formatCauses(cause: unknown): (string | undefined)[] {
  if (cause === undefined || cause === null) return []
  const { message, stack } = mapError(cause as TestError)
  return [`Caused by: ${message}`, stack]
}

function cutMessage(stack: string | undefined, message: string): string | undefined {
  return stack?.startsWith(message) ? stack.slice(message.length).replace(/^\n+/, '') : stack
}
