test('never starts', () => {})
