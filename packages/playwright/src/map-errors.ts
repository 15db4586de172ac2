import type { ErrorDetail } from '@runledger/core'
import type { TestError } from '@playwright/test/reporter'

/** Maps an error with its source snippet, stack and causes; of any other thrown value, its text is the message. */
export function mapError(error: TestError): ErrorDetail {
  const message = error.message ?? error.value ?? 'Unknown error'
  const stack = [error.snippet, cutMessage(error.stack, message), ...formatCauses(error.cause)]
    .filter((part): part is string => part !== undefined && part.trim() !== '')
    .join('\n\n')
  return stack === '' ? { message } : { message, stack }
}

function formatCauses(cause: TestError | undefined): (string | undefined)[] {
  if (cause === undefined) return []
  const { message, stack } = mapError(cause)
  return [`Caused by: ${message}`, stack]
}

function cutMessage(stack: string | undefined, message: string): string | undefined {
  return stack?.startsWith(message) ? stack.slice(message.length).replace(/^\n+/, '') : stack
}
