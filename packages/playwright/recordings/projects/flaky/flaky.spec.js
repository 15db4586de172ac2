const { test, expect } = require('@playwright/test')

test('is flaky', () => expect(test.info().retry).toBe(1))
