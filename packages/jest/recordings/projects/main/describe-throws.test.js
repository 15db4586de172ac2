test('never runs', () => {})
describe('x', () => {
  throw new Error('while collecting')
})
