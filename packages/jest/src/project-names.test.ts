import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { JEST_CONFIG } from '../../../test/support/jest-results'
import type { JestGlobalConfig } from './jest-types'
import { ProjectNames } from './project-names'

const name = (
  projects: JestGlobalConfig['projects'],
  config: { id: string; rootDir: string; displayName?: { name: string } },
) => new ProjectNames({ ...JEST_CONFIG, projects }).nameOf(config)

const hash = (...parts: string[]) => createHash('sha1').update(parts.join('')).digest('hex').slice(0, 32)

test('the only project of an execution has no name unless it has a display name', () => {
  expect(name(['/project'], { id: 'x', rootDir: '/project' })).toBe('')
  expect(name(['/project'], { id: 'x', rootDir: '/project', displayName: { name: 'bench' } })).toBe('bench')
})

test('two nameless projects are named by their positions', () => {
  expect(name(['/project/a', '/project/b'], { id: 'x', rootDir: '/project/b' })).toBe('project 2')
  expect(name(['/project/a/jest.config.js', '/project/b'], { id: 'x', rootDir: '/project/a' })).toBe(
    'project 1',
  )
})

test('an inline project without a root has that of the execution', () => {
  expect(name([{ displayName: 'named' }, {}], { id: 'x', rootDir: '/project' })).toBe('project 2')
  expect(name([{ rootDir: 'a' }, { rootDir: 'b' }], { id: 'x', rootDir: '/project/b' })).toBe('project 2')
})

test("nameless projects with the same root are found by Jest's own id", () => {
  const files = ['/project/one.config.js', '/project/two.config.js']
  const second = { id: hash('/project', '/project/two.config.js', '1'), rootDir: '/project' }
  expect(name(files, second)).toBe('project 2')
  expect(name([{}, {}, {}], { id: hash('/project', '', '2'), rootDir: '/project' })).toBe('project 3')
})

test('a project that is not in the configuration is named after its id', () => {
  expect(name([{}, {}], { id: '0123456789', rootDir: '/elsewhere' })).toBe('project 01234567')
})
