import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { HttpError } from '../../base/errors'
import { parseInput, readQuery } from './input'

describe('readQuery', () => {
  it('leaves plain values and lists as they are', () => {
    expect(readQuery({ limit: '5', ids: ['a', 'b'] })).toEqual({ limit: '5', ids: ['a', 'b'] })
  })

  it('drops what is empty', () => {
    expect(readQuery({ metadata: '', cursor: '', ids: ['', 'a'], numbers: ['', ''] })).toEqual({ ids: ['a'] })
  })

  it('nests keys in brackets, whatever is in the name', () => {
    const query = {
      'metadata[a][gt]': '1',
      'metadata[a][lt]': '9',
      'metadata[b.c [d]][in]': ['x', 'y'],
      'metadata[json]': '{"eq":true}',
    }
    expect(readQuery(query)).toEqual({
      metadata: { a: { gt: '1', lt: '9' }, 'b.c [d]': { in: ['x', 'y'] }, json: '{"eq":true}' },
    })
  })

  it('takes the key of a list with brackets after it', () => {
    expect(readQuery({ 'ids[]': ['a', 'b'] })).toEqual({ ids: ['a', 'b'] })
  })

  it('gives no name of a client a meaning of its own', () => {
    const query = readQuery({ 'metadata[__proto__][eq]': '1', '__proto__[a][b]': '1' })
    expect(Object.getPrototypeOf(query)).toBe(Object.prototype)
    expect(Object.hasOwn(query['metadata'] as object, '__proto__')).toBe(true)
    expect(Object.hasOwn(query, '__proto__')).toBe(true)
  })
})

it('what was received is written only as far as it is shown', () => {
  let reads = 0
  const entry = {
    get name() {
      reads += 1
      return ['"', null]
    },
  }
  const messageFor = (received: unknown) => {
    try {
      return String(parseInput(z.number(), received))
    } catch (error) {
      return (error as HttpError).issues?.[0]?.message
    }
  }
  const start = '[{"name":["\\"",null]},{"name":["\\"",null]},{"name":["\\"",nul'
  expect(messageFor(Array.from({ length: 1000 }, () => entry))).toBe(
    `request must be a number; received ${start}…`,
  )
  expect(reads).toBe(3)
  expect(messageFor({ a: [1, {}], b: 'c' })).toBe('request must be a number; received {"a":[1,{}],"b":"c"}')
  expect(messageFor('x'.repeat(60))).toBe(`request must be a number; received "${'x'.repeat(59)}…`)
})
