import type { Suite } from '@runledger/core'
import { afterEach, expect, test, vi } from 'vitest'
import { FakeExecution } from '../../../test/support/fake-execution'
import { mutate } from '../../../test/support/mutate'
import { expectTrueVerdicts, MUTANT_COUNT } from '../../../test/support/store-mutants'
import type { RecordedChild, RecordedModule, Recording } from '../recordings/recording'
import { listRecordings, readRecording, Replay } from '../recordings/replay'
import { RunledgerReporter } from './reporter'

interface RecordedFile {
  recording: Recording
  recorded: RecordedModule
}

function listFiles(): RecordedFile[] {
  return listRecordings().flatMap(([name, version]) => {
    const recording = readRecording(name, version)
    return recording.end.modules.map((recorded) => ({ recording, recorded }))
  })
}

/** Plays an execution of one module to a reporter; returns what core was given of it. */
async function record({ recording, recorded }: RecordedFile): Promise<Suite[]> {
  const end = {
    ...recording.end,
    modules: [recorded],
    unhandledErrors: [],
    exitCode: 0,
    reason: 'passed' as const,
  }
  const replay = new Replay({ ...recording, events: [], end })
  const execution = new FakeExecution()
  const reporter = new RunledgerReporter({}, execution.load, () => end.atMs)
  reporter.onInit(replay.createVitest())
  reporter.onTestRunStart([])
  for (const testModule of replay.modules) await reporter.onTestModuleEnd(testModule)
  await replay.end(reporter)
  return [...execution.suites]
}

/**
 * What Vitest itself makes of a module: `hasFailed` of @vitest/runner, which decides the exit code, asks for the state of the
 * module and of all in it. Undefined where a state is none, and of an execution that was cut short: we call it failed.
 */
function judge({ recording, recorded }: RecordedFile): boolean | undefined {
  const { state, errors, children } = recorded
  const states = [state, ...listStates(children)]
  if (states.includes('failed')) return false
  if (recording.end.reason === 'interrupted') return undefined
  const isWhole = states.every((each) => each === 'passed' || each === 'skipped') && errors?.length === 0
  return isWhole ? true : undefined
}

function listStates(children: readonly RecordedChild[]): unknown[] {
  return children.flatMap((child) =>
    child.type === 'test' ? [child.result?.state] : [child.state, ...listStates(child.children)],
  )
}

/** What Vitest's own objects always have. */
const OF_VITEST = /^(without )?(.*\.)?(children(\.\d+)?|type|id|moduleId|project|name|options(\.mode)?)( |$)/

const exitCodeBefore = process.exitCode
afterEach(() => {
  process.exitCode = exitCodeBefore
  vi.restoreAllMocks()
})

test(`${MUTANT_COUNT} modules, each with one field that is anything, are runs with the verdicts of Vitest`, async () => {
  const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const files = listFiles() as [RecordedFile, ...RecordedFile[]]
  await expectTrueVerdicts(async (random) => {
    const { recording, recorded } = random.pick(files)
    let { data, change } = mutate(recorded, random)
    while (OF_VITEST.test(change)) ({ data, change } = mutate(recorded, random))
    const suites = await record({ recording, recorded: data })
    const what = `${recording.version} ${recorded.moduleId}: ${change}`
    const mustBeStored = listStates(data.children).some((state) => state === 'passed' || state === 'failed')
    return { what, suites, hasPassed: judge({ recording, recorded: data }), mustBeStored }
  })
  expect(print).not.toHaveBeenCalled()
}, 300_000)
