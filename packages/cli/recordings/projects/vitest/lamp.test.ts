import { describe, expect, it } from 'vitest'

describe('lamp', () => {
  it('lights', () => {
    console.log('the lamp is on')
  })
  it('is red', () => {
    expect({ colour: 'green' }).toEqual({ colour: 'red' })
  })
  let tries = 0
  it('flickers', { retry: 1 }, () => {
    tries += 1
    expect(tries).toBe(2)
  })
  it.skip('is blue', () => {})
  it.todo('is warm')
})
