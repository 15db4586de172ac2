import { expectTypeOf, test } from 'vitest'

const outside: number = 'outside of every test'
test('is a string', () => expectTypeOf('').toEqualTypeOf<string>())
