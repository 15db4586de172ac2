import { expect, it } from 'vitest'
import { findSpawn } from './run-in-terminal'

it('quotes arguments for the shell of Windows', () => {
  const command = ['npx', 'jest', '-t', 'a & b', '--json="x"']
  expect(findSpawn(command, 'win32')).toEqual({
    program: 'npx',
    args: ['jest', '-t', '"a & b"', '"--json=""x"""'],
    shell: true,
  })
  expect(findSpawn(command, 'linux')).toEqual({ program: 'npx', args: command.slice(1), shell: false })
})
