jest.retryTimes(1)
let n = 0
test.skip('same', () => {})
test('same', async () => {
  await new Promise((r) => setTimeout(r, 30))
})
test.todo('same')
test('same', async () => {
  await new Promise((r) => setTimeout(r, 30))
  if (n++ < 1) throw new Error('second of the name')
})
describe('same', () => {
  test('same', () => {
    throw new Error('nested')
  })
})
test('other', () => {})
