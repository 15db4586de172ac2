describe('before', () => {
  beforeEach(() => {
    throw new Error('beforeEach')
  })
  test('a', () => {})
})
describe('after', () => {
  afterEach(() => {
    throw new Error('afterEach')
  })
  test('a', () => {
    throw new Error('its own')
  })
})
