import { expect, test, vi } from 'vitest'
import type { FakeExecution } from '../../../test/support/fake-execution'
import { renderRecord } from '../../../test/support/render-record'
import { becomesRun } from '../../../test/support/suites'
import { listRecorded, readRecorded, replay, type RecordedEvent } from '../recordings/replay'

test.each(listRecorded())('maps the recorded execution %s of Jest %s as judged', async (project, version) => {
  const execution = await replay(readRecorded(version, project))
  await expect(renderRecord(execution)).toMatchFileSnapshot(`../recordings/${project}-${version}.record`)
})

/** Adds a count that the recordings left out; without its tests, a result cannot be mapped. */
function changeResults(events: readonly RecordedEvent[], isBroken: boolean): RecordedEvent[] {
  return events.map((event) => {
    if (event.hook !== 'onTestFileResult') return event
    const numPassingTests = event.result.testResults.filter(({ status }) => status === 'passed').length
    const result = { ...event.result, numPassingTests }
    const fail = (): never => {
      throw new Error('no results')
    }
    return {
      ...event,
      result: isBroken ? Object.defineProperty(result, 'testResults', { get: fail }) : result,
    }
  })
}

test.each(listRecorded())(
  'files of %s of Jest %s that cannot be mapped are on record with their verdicts',
  async (project, version) => {
    const events = readRecorded(version, project)
    const verdictsOf = ({ suites }: FakeExecution) =>
      suites.map((suite) => `${suite.project} ${suite.file} ${suite.outcome} ${becomesRun(suite)}`)
    const intact = await replay(changeResults(events, false))
    const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const broken = await replay(changeResults(events, true))
    print.mockRestore()
    expect(verdictsOf(broken)).toEqual(verdictsOf(intact))
  },
)
