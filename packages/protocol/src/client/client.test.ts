import { expect, it } from 'vitest'
import { fillPath } from './client'

it('fills a path in with each parameter encoded', () => {
  expect(fillPath('/v2/parts/{a}/revisions/{b}', { a: 'x/y', b: '..a' })).toBe(
    '/v2/parts/x%2Fy/revisions/..a',
  )
})

it.each([undefined, '', '.', '..'])('makes no path of %j, which would lead to another operation', (id) => {
  const params = { procedure_id: 'p', ...(id === undefined ? {} : { id }) }
  expect(() => fillPath('/v2/stations/{id}/procedures/{procedure_id}', params)).toThrow(TypeError)
})
