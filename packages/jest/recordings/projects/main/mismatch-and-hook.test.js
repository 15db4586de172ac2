afterAll(() => {
  throw new Error('the hook')
})
test('catches it', () => {
  try {
    expect(2).toMatchSnapshot()
  } catch {}
})
