test('of the folder', () => {})
