const { test } = require('@playwright/test')

test('same', () => {})
test('same', () => {})
