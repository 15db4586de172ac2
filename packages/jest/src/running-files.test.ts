import { expect, test } from 'vitest'
import type { JestTest } from './jest-types'
import { RunningFiles, type CaseEvent } from './running-files'

const file = (id: string): JestTest => ({
  path: '/project/a.js',
  context: { config: { id, rootDir: '/project' } },
})
const report = (files: RunningFiles, event: CaseEvent) => files.addCaseEvent(file('any'), event)
const titled = (title: string) => ({ ancestorTitles: [], title })

test('case events of a path that two projects run at once are dropped', () => {
  const files = new RunningFiles()
  files.start(file('one'), 1)
  report(files, titled('first'))
  report(files, { ...titled('first'), status: 'passed' })
  report(files, titled('second'))
  files.start(file('two'), 2)
  report(files, { ...titled('second'), status: 'passed' })
  expect(files.finish(file('two'))).toMatchObject({ startedAtMs: 2, isShared: true, caseEvents: [] })
  expect(files.finish(file('one'))).toMatchObject({ startedAtMs: 1, isShared: true, caseEvents: [] })
  expect(files.list()).toEqual([])
})

test('case events of a file whose start was never reported are dropped', () => {
  const files = new RunningFiles()
  report(files, titled('first'))
  report(files, { ...titled('first'), status: 'passed' })
  expect(files.finish(file('one'))).toBeUndefined()
})
