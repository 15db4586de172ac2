const { test } = require('@playwright/test')

test.skip('never runs', () => {})
