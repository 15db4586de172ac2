import { expect, test } from 'vitest'
import { tellOnce } from './tell-once'

test('tells each line once', () => {
  const lines: string[] = []
  for (const message of ['one', 'two', 'one']) tellOnce(message, (line) => void lines.push(line))
  expect(lines).toEqual(['one', 'two'])
})
