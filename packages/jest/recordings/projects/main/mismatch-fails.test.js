test('fails', () => {
  expect(2).toMatchSnapshot()
})
