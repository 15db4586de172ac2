import { stripVTControlCharacters } from 'node:util'
import type { JestAssertion } from './jest-types'

/** Jest 29 shows causes only in a file's printed text. Jest 30 has them in the messages. */
export function addPrintedCauses(tests: readonly JestAssertion[], printed = ''): readonly JestAssertion[] {
  const text = stripVTControlCharacters(printed)
  if (!CAUSE.test(text)) return tests
  let start = 0
  const takeCauses = ({ ancestorTitles, title }: JestAssertion): string[] => {
    const found = text.indexOf(`● ${[...ancestorTitles, title].join(' › ')}\n`, start)
    if (found < 0) return []
    const end = text.indexOf('\n  ● ', found)
    start = end < 0 ? text.length : end
    return text.slice(found, start).split(CAUSE).slice(1).map(formatCause)
  }
  return tests.map((test) => ({
    ...test,
    // Jest prints the errors of all tests one after another.
    details: test.failureMessages?.map((message, index) => {
      const detail = test.details?.[index] ?? {}
      const nested = takeCauses(test)
      const isTold = nested.length === 0 || detail.nested !== undefined || message.includes('\n[cause]: ')
      return isTold ? detail : { ...detail, nested }
    }),
  }))
}

const CAUSE = /\n +Cause:\n/

/** As Jest 30 writes it, without the code frame. */
function formatCause(printed: string): string {
  const lines = printed.split('\n').map((line) => line.trim())
  const told = lines.filter((line) => line !== '' && !/^>? ?\d* *\|/.test(line))
  return `[cause]: ${told.join('\n').replaceAll('\nat ', '\n    at ')}`
}
