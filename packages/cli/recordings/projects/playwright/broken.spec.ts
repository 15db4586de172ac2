import { test } from '@playwright/test'

test.beforeAll(() => {
  throw new Error('no power')
})

test('lights', () => {})
