import { expect, test } from 'vitest'
import { HookGuard, isDuplicateReporter } from './hook-guard'

function createGuard() {
  const lines: string[] = []
  return { lines, guard: new HookGuard((line) => void lines.push(line)) }
}

test('a hook that throws or rejects is reported, the first one only', async () => {
  const { lines, guard } = createGuard()
  guard.run(() => {
    throw new Error('first\nRequire stack:\n- /p/x.js')
  })
  expect(await guard.runAsync(() => Promise.reject(new Error('second')))).toBeUndefined()
  guard.warn('third')
  expect(lines).toEqual(['part of this execution is not on record: first'])
})

test('an asynchronous hook keeps its result', async () => {
  const { lines, guard } = createGuard()
  expect(await guard.runAsync(() => Promise.resolve(7))).toBe(7)
  expect(lines).toEqual([])
})

test('a reporter is a duplicate of another one of the same execution with equal options', () => {
  const [execution, other] = [{}, {}]
  expect(isDuplicateReporter(execution, { group: 'a', reportVariables: { bench: 1 } })).toBe(false)
  expect(isDuplicateReporter(execution, { group: 'a', reportVariables: { bench: 1 } })).toBe(true)
  expect(isDuplicateReporter(execution, { group: 'a', reportVariables: { bench: 2 } })).toBe(false)
  expect(isDuplicateReporter(execution, { group: 'a', reportVariables: { bench: 2 } })).toBe(true)
  expect(isDuplicateReporter(other, { group: 'a', reportVariables: { bench: 1 } })).toBe(false)
})
