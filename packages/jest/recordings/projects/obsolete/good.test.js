test('passes', () => {})
