import { test } from 'vitest'

test('is not chosen', () => {})
test.only('is chosen', () => {})
