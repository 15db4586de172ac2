const { test } = require('@playwright/test')

test('ends its worker', () => process.exit(3))
test('runs in the next worker', () => {})
