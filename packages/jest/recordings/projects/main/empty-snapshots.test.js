test('uses none', () => {})
