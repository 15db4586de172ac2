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
  files.startCase('/project/a.js', titled('first'))
  files.finishCase('/project/a.js', { ...titled('first'), status: 'passed' })
  files.startCase('/project/a.js', titled('second'))
  files.start(file('two'), 2)
  files.finishCase('/project/a.js', { ...titled('second'), status: 'passed' })
  expect(files.finish(file('two'))).toMatchObject({ startedAtMs: 2, isShared: true, cases: [], underWay: [] })
  expect(files.finish(file('one'))).toMatchObject({ startedAtMs: 1, isShared: true, cases: [], underWay: [] })
  expect(files.list()).toEqual([])
})

test('a case takes the start of the same titles, others stay under way', () => {
  const files = new RunningFiles()
  files.start(file('one'), 1)
  files.startCase('/project/a.js', { ...titled('slow'), startedAt: 10 })
  files.startCase('/project/a.js', { ...titled('quick'), startedAt: 20 })
  files.finishCase('/project/a.js', { ...titled('quick'), status: 'passed' })
  files.finishCase('/project/a.js', { ...titled('later'), status: 'todo' })
  const account = files.finish(file('one'))
  expect(account?.cases).toEqual([
    { ...titled('quick'), status: 'passed', invocation: 1, startedAtMs: 20, failureMessages: [] },
    { ...titled('later'), status: 'todo', invocation: 1, failureMessages: [] },
  ])
  expect(account?.underWay.map(({ title }) => title)).toEqual(['slow'])
})

test('cases and ends of a file whose start was never told are left out', () => {
  const files = new RunningFiles()
  files.startCase('/project/a.js', titled('first'))
  files.finishCase('/project/a.js', { ...titled('first'), status: 'passed' })
  expect(files.finish(file('one'))).toBeUndefined()
})
