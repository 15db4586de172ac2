const { test } = require('@playwright/test')

test('passes', () => {})
test('takes too long', () => new Promise(() => {}))
test('never begins', () => {})
