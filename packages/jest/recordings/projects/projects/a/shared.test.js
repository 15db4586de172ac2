jest.retryTimes(1)
let n = 0
const pause = () => new Promise((r) => setTimeout(r, 300))
test('waits', pause)
test('depends', async () => {
  await pause()
  if (PLACE === 2) throw new Error('only in the second')
})
test('is retried', async () => {
  await pause()
  if (n++ < 1) throw new Error('of place ' + PLACE)
})
