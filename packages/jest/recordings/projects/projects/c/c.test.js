test('of the file', () => {})
