test('catches it', () => {
  try {
    expect(2).toMatchSnapshot()
  } catch {}
})
