test.skip('x', () => {})
