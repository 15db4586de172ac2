beforeAll(() => {
  throw new Error('ba')
})
test('a', () => {})
test.skip('b', () => {})
test.todo('c')
