import { expect, test } from 'vitest'
import { toRelativePath } from './suite-fields'

test('files are named from the project root, absolute or not', () => {
  expect(toRelativePath('/project', '/project/a/b.test.ts')).toBe('a/b.test.ts')
  expect(toRelativePath('/project', '/other/b.test.ts')).toBe('../other/b.test.ts')
  expect(toRelativePath('/project', 'a/b.test.ts')).toBe('a/b.test.ts')
})

test.skipIf(process.platform === 'win32')('a backslash in a name on POSIX is kept', () => {
  expect(toRelativePath('/project', '/project/a\\b.test.ts')).toBe('a\\b.test.ts')
  expect(toRelativePath('/project', 'a\\b.test.ts')).toBe('a\\b.test.ts')
})
