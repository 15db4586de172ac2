import { expect, test } from 'vitest'
import type { JestTest } from './jest-types'
import { RunningFiles, type ToldCase } from './running-files'

const file = (id: string): JestTest => ({
  path: '/project/a.js',
  context: { config: { id, rootDir: '/project' } },
})
const tell = (files: RunningFiles, told: ToldCase) => files.told.get('/project/a.js')?.push(told)
const titled = (title: string) => ({ ancestorTitles: [], title })

test('cases of a path that another project begins to run are of nobody', () => {
  const files = new RunningFiles()
  files.start(file('one'), 1)
  tell(files, titled('first'))
  tell(files, { ...titled('first'), status: 'passed' })
  tell(files, titled('second'))
  files.start(file('two'), 2)
  tell(files, { ...titled('second'), status: 'passed' })
  expect(files.finish(file('two'))).toMatchObject({ startedAtMs: 2, isShared: true, told: [] })
  expect(files.finish(file('one'))).toMatchObject({ startedAtMs: 1, isShared: true, told: [] })
  expect(files.list()).toEqual([])
})

test('cases and ends of a file whose start was never told are left out', () => {
  const files = new RunningFiles()
  tell(files, titled('first'))
  tell(files, { ...titled('first'), status: 'passed' })
  expect(files.finish(file('one'))).toBeUndefined()
})
