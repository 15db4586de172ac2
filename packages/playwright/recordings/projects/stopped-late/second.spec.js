const { test } = require('@playwright/test')

test('passes before the stop', () => {})
test('is under way at the stop', () => new Promise(() => {}))
test('waits', () => {})
