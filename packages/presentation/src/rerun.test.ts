import { expect, it } from 'vitest'
import { formatRerun } from './rerun'

function findPattern(framework: string, name: string): RegExp {
  const { command } = formatRerun({ metadata: { framework }, name, file: 'a.test.ts' })
  const [, pattern = ''] = /-t '(.*)'$/.exec(command ?? '') ?? []
  return new RegExp(pattern)
}

it('selects a test inside a describe block by the full name of Vitest 3, 4 and 5', () => {
  const pattern = findPattern('vitest', 'cart › total (EUR) › adds up')
  expect('cart total (EUR) adds up').toMatch(pattern)
  expect('cart > total (EUR) > adds up').toMatch(pattern)
  expect('cart total (EUR) adds up twice').not.toMatch(pattern)
})

it('selects the whole file of a type test', () => {
  const { command } = formatRerun({ metadata: { framework: 'vitest' }, name: 'a', file: 'src/a.test-d.ts' })
  expect(command).toBe('npx vitest run src/a.test-d.ts')
})
