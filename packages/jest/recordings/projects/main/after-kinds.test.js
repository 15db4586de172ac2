describe('text', () => {
  afterAll(() => {
    throw 'text of afterAll'
  })
  test('a', () => {})
})
describe('undefined', () => {
  afterAll(() => {
    throw undefined
  })
  test('a', () => {})
})
describe('slow', () => {
  afterAll(() => new Promise(() => {}), 20)
  test('a', () => {})
})
describe('caused', () => {
  afterAll(() => {
    throw new Error('caused', { cause: new Error('cause') })
  })
  test('a', () => {})
})
describe('several', () => {
  afterAll(() => {
    throw new AggregateError([new Error('one'), new Error('two')], 'several')
  })
  test('a', () => {})
})
describe('asynchronous', () => {
  afterAll(async () => {
    await null
    throw new Error('asynchronous')
  })
  test('a', () => {})
})
