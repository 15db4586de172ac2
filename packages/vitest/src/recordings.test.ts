import { afterEach, expect, test } from 'vitest'
import { renderRecord } from '../../../test/support/render-record'
import { FakeExecution } from '../../../test/support/fake-execution'
import { listRecordings, readRecording, Replay } from '../recordings/replay'
import { RunledgerReporter } from './reporter'

const exitCodeBefore = process.exitCode
afterEach(() => {
  process.exitCode = exitCodeBefore
})

test.each(listRecordings())(
  'maps the recorded execution %s of Vitest %s as judged',
  async (name, version) => {
    const replay = new Replay(readRecording(name, version))
    const execution = new FakeExecution()
    const reporter = new RunledgerReporter({}, execution.load, replay.now)
    process.exitCode = undefined
    reporter.onInit(replay.createVitest())
    replay.play(reporter)
    await replay.end(reporter)
    await expect(renderRecord(execution)).toMatchFileSnapshot(`../recordings/${name}-${version}.record`)
  },
)
