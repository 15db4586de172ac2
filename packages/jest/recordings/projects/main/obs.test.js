test('here', () => {})
