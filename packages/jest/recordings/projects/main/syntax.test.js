test('a', () => {
