import { describe, expect, it } from 'vitest'
import { readQuery } from './input'

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
