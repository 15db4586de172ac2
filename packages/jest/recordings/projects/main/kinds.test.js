describe('outer', () => {
  describe('inner', () => {
    test('passes', () => {
      console.log('hello')
      console.warn('careful')
    })
    test('fails', () => {
      expect(1).toBe(2)
    })
    test.skip('skipped', () => {})
    test.todo('later')
    test.failing('fails as expected', () => {
      throw new Error('x')
    })
    test.failing('passes unexpectedly', () => {})
  })
})
