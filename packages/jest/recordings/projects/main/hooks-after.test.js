afterAll(() => {
  throw new Error('aa')
})
describe('x', () => {
  afterAll(async () => {
    await null
    throw new Error('inner aa')
  })
  test('a', () => {})
})
