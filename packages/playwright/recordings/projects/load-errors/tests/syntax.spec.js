const { test } = require('@playwright/test')

test('a', () => {
