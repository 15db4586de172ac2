import { expect, test } from 'vitest'

test('has its snapshot', () => expect(1).toMatchSnapshot())
