const { test } = require('@playwright/test')

test('never begins', () => {})
