import { expect, it } from 'vitest'
import { checkLength, nameFiles, readCommand } from './sharded-command'

it('excludes the files whose path from any root of Vitest contains that of an own file', () => {
  const command = readCommand(['npx', 'vitest', 'run', '--root', 'lamp'])
  const all = [
    'lamp/[a]/superuser.test.ts',
    'lamp/[a]/user.test.ts',
    'lamp/b/user.test.ts',
    'lamp/SuperUser.test.ts',
    'lamp/user.test.ts',
  ]
  const own = { files: ['lamp/user.test.ts'], all }
  expect(nameFiles(command, own, '/home/me')).toEqual([
    'npx',
    'vitest',
    'run',
    'lamp/user.test.ts',
    String.raw`--exclude=/home/me/lamp/\[a\]/superuser.test.ts`,
    String.raw`--exclude=/home/me/lamp/\[a\]/user.test.ts`,
    '--exclude=/home/me/lamp/b/user.test.ts',
    '--exclude=/home/me/lamp/SuperUser.test.ts',
    '--root',
    'lamp',
  ])
  expect(nameFiles(command, { files: ['lamp/b/user.test.ts'], all }, '/home/me')).toEqual([
    'npx',
    'vitest',
    'run',
    'lamp/b/user.test.ts',
    '--root',
    'lamp',
  ])
})

it('refuses a command that is too long for Windows', () => {
  const command = [
    'npx',
    'vitest',
    'run',
    ...Array.from({ length: 400 }, (_, index) => `src/${index}.test.ts`),
  ]
  expect(() => checkLength(command, 'win32')).toThrow(
    /^the command with the names of the shard's files has 7,\d\d\d characters, and runledger passes on at most 6,000 on Windows: use more shards$/,
  )
  checkLength(command, 'linux')
  checkLength(command.slice(0, 300), 'win32')
})

it.each([
  ['npx', 'vitest', '--watch=false'],
  ['npx', 'jest', '--watchAll=false'],
])('accepts an option that switches watching off: %s %s %s', (...command) => {
  expect(readCommand(command).options).toEqual(command.slice(2))
})
