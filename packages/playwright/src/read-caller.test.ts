import { expect, test } from 'vitest'
import { readCaller } from './read-caller'

test('the caller is the first place of a stack that is in a file', () => {
  const stack = [
    'Error',
    '    at AsyncLocalStorage.run (node:async_hooks:346:14)',
    '    at async /project/my tests/power (1).spec.ts:14:9',
    '    at Object.<anonymous> (/project/node_modules/playwright/lib/worker.js:1:1)',
  ]
  expect(readCaller(stack.join('\n'))).toEqual({
    file: '/project/my tests/power (1).spec.ts',
    line: 14,
    column: 9,
  })
})

test('ES modules are named by their path too, and a stack without a place has no caller', () => {
  const file = '/project/my tests/a.spec.mjs'
  expect(readCaller(`Error\n    at call (file:///project/my%20tests/a.spec.mjs:3:5)`)).toEqual({
    file,
    line: 3,
    column: 5,
  })
  expect(readCaller('Error: at a loss')).toBeUndefined()
  expect(readCaller(undefined)).toBeUndefined()
})
