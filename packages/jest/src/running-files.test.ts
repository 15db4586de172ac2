import { expect, test } from 'vitest'
import type { JestTest } from './jest-types'
import { RunningFiles } from './running-files'

const file = (id: string): JestTest => ({
  path: '/project/a.js',
  context: { config: { id, rootDir: '/project' } },
})
const titled = (title: string) => ({ ancestorTitles: [], title })

test('cases of a path that another project begins to run are of nobody', () => {
  const files = new RunningFiles()
  files.start(file('one'), 1)
  files.noteCase('/project/a.js', titled('first'))
  files.noteCase('/project/a.js', { ...titled('first'), status: 'passed' })
  files.noteCase('/project/a.js', titled('second'))
  files.start(file('two'), 2)
  files.noteCase('/project/a.js', { ...titled('second'), status: 'passed' })
  expect(files.finish(file('two'))).toMatchObject({ startedAtMs: 2, isShared: true, told: [] })
  expect(files.finish(file('one'))).toMatchObject({ startedAtMs: 1, isShared: true, told: [] })
  expect(files.list()).toEqual([])
})

test('cases and ends of a file whose start was never told are left out', () => {
  const files = new RunningFiles()
  files.noteCase('/project/a.js', titled('first'))
  files.noteCase('/project/a.js', { ...titled('first'), status: 'passed' })
  expect(files.finish(file('one'))).toBeUndefined()
})
