import { expect, test } from 'vitest'
import { mapUnexplainedFailure, type ExecutionVerdict } from './map-execution'

const FAILED: ExecutionVerdict = {
  reason: 'failed',
  hasFailingExitCode: true,
  specificationCount: 2,
  moduleCount: 2,
  isExplained: false,
}

test('an interruption is named so, whatever had run', () => {
  const problem = {
    name: 'Interrupted',
    errors: [{ message: 'Vitest was stopped before all files had run.' }],
  }
  expect(mapUnexplainedFailure({ ...FAILED, reason: 'interrupted' })).toEqual(problem)
  expect(mapUnexplainedFailure({ ...FAILED, reason: 'interrupted', moduleCount: 0 })).toEqual(problem)
})

test('an explained failure and a passed execution have no problem', () => {
  expect(mapUnexplainedFailure({ ...FAILED, isExplained: true })).toBeUndefined()
  expect(mapUnexplainedFailure({ ...FAILED, reason: 'passed', hasFailingExitCode: false })).toBeUndefined()
})
