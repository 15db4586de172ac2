afterAll(() => {
  throw new Error('first line\n\nthird line')
})
test('a', () => {})
