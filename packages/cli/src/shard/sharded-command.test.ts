import { expect, it } from 'vitest'
import { nameFiles, readCommand } from './sharded-command'

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
