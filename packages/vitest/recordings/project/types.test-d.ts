import { expectTypeOf, test } from 'vitest'

test('is a string', () => expectTypeOf('').toEqualTypeOf<string>())
test('is not a number', () => expectTypeOf('').toEqualTypeOf<number>())
