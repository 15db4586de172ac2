import { test } from 'vitest'

test.skip('a', () => {})
