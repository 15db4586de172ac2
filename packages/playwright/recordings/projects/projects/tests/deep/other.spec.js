const { test } = require('@playwright/test')

test('passes', () => {})
