jest.retryTimes(1)
test.failing('never throws', () => {})
test.failing('throws', () => {
  throw new Error('expected')
})
