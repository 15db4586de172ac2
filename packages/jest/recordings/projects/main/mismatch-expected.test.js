test.failing('fails as expected', () => {
  expect(2).toMatchSnapshot()
})
