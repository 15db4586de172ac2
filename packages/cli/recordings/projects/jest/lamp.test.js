jest.retryTimes(1)

describe('lamp', () => {
  test('lights', () => {
    console.log('the lamp is on')
  })
  test('is red', () => {
    expect({ colour: 'green' }).toEqual({ colour: 'red' })
  })
  let tries = 0
  test('flickers', () => {
    tries += 1
    expect(tries).toBe(2)
  })
  test.skip('is blue', () => {})
  test.todo('is warm')
})
